# syntax=docker/dockerfile:1

# ggufd on the CPU, for linux/amd64 and linux/arm64.
#
#   docker build -t ggufd .
#   docker run --rm -p 127.0.0.1:8080:8080 ggufd
#   docker run --rm -p 127.0.0.1:8080:8080 --stop-timeout 40 \
#     -v "$PWD/my-models:/models:ro" -e GGUFD_MODEL=/models/my-model.gguf -v ggufd-data:/data ggufd
#
# Settings come as environment variables or as flags after the image's name; `config` prints them.
#
# It runs as user 1000 and needs no privileges and no writable root:
#
#   docker run --rm -p 127.0.0.1:8080:8080 --read-only --tmpfs /tmp --cap-drop ALL \
#     --security-opt no-new-privileges --pids-limit 256 --shm-size 1g -v ggufd-data:/data ggufd
#
# It writes to /data (to-dos, usage, measured numbers of threads, access log or --cache-dir if you put them there),
# /dev/shm (the prefix cache, --cache-ram) and /tmp (the same, where /dev/shm is too small).

FROM node:22-bookworm-slim AS build
WORKDIR /app
# The native libraries come as npm packages; nothing else is downloaded, and nothing is compiled.
ENV NODE_LLAMA_CPP_SKIP_DOWNLOAD=true
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY src ./src
RUN npm run build
# The runtime has production packages and one native library of this architecture, without llama.cpp's
# sources and TypeScript, which npm installs as an optional dependency of node-llama-cpp.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --no-audit --no-fund \
  && library="linux-$(node -p process.arch)" \
  && test -d "node_modules/@node-llama-cpp/$library" \
  && find node_modules/@node-llama-cpp -mindepth 1 -maxdepth 1 ! -name "$library" -exec rm -rf {} + \
  && rm -rf node_modules/node-llama-cpp/llama/gitRelease.bundle \
    node_modules/typescript node_modules/@typescript \
  && mkdir /models /data

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="ggufd" \
      org.opencontainers.image.description="Serves GGUF language models over HTTP, with continuous batching" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY LICENSE ./
COPY models/ggufd-mini.gguf ./models/
COPY --from=build --chown=1000:1000 /models /models
COPY --from=build --chown=1000:1000 /data /data
ENV NODE_ENV=production \
    GGUFD_HOST=0.0.0.0 \
    GGUFD_PORT=8080 \
    GGUFD_GPU=off \
    GGUFD_TODOS=/data/todos.json \
    GGUFD_USAGE=/data/usage \
    XDG_CACHE_HOME=/data/cache
# The user `node` of the base image, by number, for policies that check it.
USER 1000:1000
VOLUME ["/models", "/data"]
EXPOSE 8080
STOPSIGNAL SIGTERM
# The port is read from the environment: set GGUFD_PORT rather than --port.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10m --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.GGUFD_PORT}${process.env.GGUFD_API_PREFIX ?? ''}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
