import type { ServerResponse } from "node:http";
import { answerWithFile, type Fault, sha256Of } from "./file-answers.js";
import { type SeenRequest, StandIn, sendJson, sendStatus } from "./stand-in.js";

/** A layer: its kind, `model` or `template`, and its content. */
export type RegistryLayer = readonly [kind: string, content: Buffer | string];

export interface RegistryOptions {
  /** `namespace/model` */
  readonly model: string;
  readonly tag?: string;
  readonly layers: readonly RegistryLayer[];
  /** Whether a token, which is issued to everyone, is required. */
  readonly access?: "open" | "token" | "closed";
  readonly faults?: (Fault | undefined)[];
}

/** An Ollama registry: manifests, tokens, and blobs on another host. */
export class RegistryStandIn {
  readonly registry: StandIn;
  readonly storage: StandIn;
  readonly #options: RegistryOptions;
  /** Tokens that are accepted. Emptied, all have run out. */
  readonly tokens = new Set<string>();

  static async start(options: RegistryOptions): Promise<RegistryStandIn> {
    const standIn: RegistryStandIn = new RegistryStandIn(
      options,
      await StandIn.start((request, response) => standIn.#answer(request, response)),
      await StandIn.start((request, response) => standIn.#answerFromStorage(request, response)),
    );
    return standIn;
  }

  private constructor(options: RegistryOptions, registry: StandIn, storage: StandIn) {
    this.#options = options;
    this.registry = registry;
    this.storage = storage;
  }

  /** The name of its model. */
  get name(): string {
    const { model, tag = "latest" } = this.#options;
    return `ollama:127.0.0.1:${this.registry.port}/${model}:${tag}`;
  }

  #answer(request: SeenRequest, response: ServerResponse): unknown {
    const { model, tag = "latest", access = "open" } = this.#options;
    const url = new URL(request.target, this.registry.origin);
    if (url.pathname === "/token") {
      const token = `token-${this.registry.requests.length}`;
      this.tokens.add(token);
      return sendJson(response, access === "closed" ? {} : { token });
    }
    const sent = request.headers.authorization?.replace("Bearer ", "") ?? "";
    if (access !== "open" && !this.tokens.has(sent)) {
      const challenge = `Bearer realm="${this.registry.origin}/token",service="registry",scope="repository:${model}:pull"`;
      return sendStatus(response, 401, { "www-authenticate": challenge });
    }
    if (url.pathname === `/v2/${model}/manifests/${tag}`)
      return sendJson(response, this.manifest());
    const digest = url.pathname.split(`/v2/${model}/blobs/sha256:`)[1];
    if (digest === undefined) return sendStatus(response, 404);
    return sendStatus(response, 307, { location: `${this.storage.otherOrigin}/${digest}` });
  }

  manifest() {
    return {
      schemaVersion: 2,
      mediaType: "application/vnd.docker.distribution.manifest.v2+json",
      layers: this.#options.layers.map(([kind, content]) => ({
        mediaType: `application/vnd.ollama.image.${kind}`,
        digest: `sha256:${sha256Of(content)}`,
        size: Buffer.byteLength(content),
      })),
    };
  }

  #answerFromStorage(request: SeenRequest, response: ServerResponse): unknown {
    const layer = this.#options.layers.find(([, one]) => `/${sha256Of(one)}` === request.target);
    const fault = this.#options.faults?.shift();
    const content = Buffer.from(layer?.[1] ?? "");
    return answerWithFile(request, response, { content, etag: undefined, fault });
  }
}
