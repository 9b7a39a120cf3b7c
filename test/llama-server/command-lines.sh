#!/bin/sh
# Runs command lines of llama-server as its README, guides and posts show them, with ggufd in place
# of llama-server and small models in place of the named files. Each must start and answer.
#
# Usage: test/llama-server/command-lines.sh MODEL EMBEDDING-MODEL RERANKER INFILL-MODEL
# Environment: PORT (default 8080), GGUFD (default: node dist/main.js)
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
model=$1 embedding=$2 reranker=$3 infill_model=$4
PORT=${PORT:-8080}
ggufd=${GGUFD:-node $root/dist/main.js}
folder=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$folder"' EXIT
export LLAMA_ARG_PORT=$PORT HOME=$folder XDG_DATA_HOME=$folder XDG_CACHE_HOME=$folder
passed=0 failed=0

cd "$folder"
mkdir -p models/7B
for name in model models/7B/ggml-model draft gpt-oss-20b-mxfp4 \
  Qwen3-Coder-30B-A3B-Instruct-UD-Q4_K_XL Llama-3.3-70B-Instruct-Q4_K_M; do
  cp "$model" "$name.gguf"
done
cp "$embedding" nomic-embed-text-v1.5.Q8_0.gguf
cp "$reranker" bge-reranker-v2-m3-Q8_0.gguf
cp "$infill_model" Qwen2.5-Coder-7B-Q8_0.gguf
echo 'root ::= "yes" | "no"' > grammar.gbnf

chat='{"messages":[{"role":"user","content":"Hi"}],"max_tokens":8}'
infill='{"input_prefix":"def add(a, b):\n","input_suffix":"\n","n_predict":8}'

# attempt PATH BODY PATTERN ARGUMENTS…: starts ggufd with the arguments of llama-server, and expects
# the pattern in the answer to the request.
attempt() {
  path=$1 body=$2 pattern=$3
  shift 3
  $ggufd "$@" > log 2>&1 &
  pid=$!
  tries=0
  until curl -sf "http://127.0.0.1:$PORT/health" > /dev/null; do
    tries=$((tries + 1))
    if ! kill -0 "$pid" 2> /dev/null || [ "$tries" -gt 600 ]; then break; fi
    sleep 0.1
  done
  answer=$(curl -s "http://127.0.0.1:$PORT$path" -H 'content-type: application/json' \
    -H 'authorization: Bearer secret' -d "$body" || true)
  kill "$pid" 2> /dev/null || true
  wait "$pid" || true
  pid=
  if echo "$answer" | grep -Eq "$pattern"; then
    passed=$((passed + 1))
    echo "ok: llama-server $*"
  else
    failed=$((failed + 1))
    echo "FAILED: llama-server $*"
    echo "  answer: $answer"
    sed 's/^/  /' log
  fi
}

# llama.cpp's README and the README of its server.
attempt /v1/chat/completions "$chat" '"content":' -m model.gguf --port "$PORT"
attempt /completion '{"prompt":"Once upon","n_predict":8}' '"content":' -m models/7B/ggml-model.gguf -c 2048
attempt /v1/chat/completions "$chat" '"content":' -m model.gguf -c 4096 -np 4
attempt /v1/chat/completions "$chat" '"content":' -m model.gguf -md draft.gguf
attempt /v1/embeddings '{"input":"a text"}' '"embedding":' \
  -m nomic-embed-text-v1.5.Q8_0.gguf --embedding --pooling cls -ub 8192
attempt /v1/rerank '{"query":"sea","documents":["a ship","a tree"]}' '"relevance_score":' \
  -m bge-reranker-v2-m3-Q8_0.gguf --reranking
attempt /v1/chat/completions "$chat" '"content":"(yes|no)"' -m model.gguf --grammar-file grammar.gbnf

# llama.cpp's guide to gpt-oss, and the usual form for several GPUs.
attempt /v1/chat/completions "$chat" '"content":' \
  -m gpt-oss-20b-mxfp4.gguf --ctx-size 0 --jinja -ub 2048 -b 2048 -ngl 99 -fa on
attempt /v1/chat/completions "$chat" '"content":' -m Llama-3.3-70B-Instruct-Q4_K_M.gguf -ngl 99 \
  -sm layer -ts 1,1 -mg 0 -c 8192 -fa on -ctk q8_0 -ctv q8_0 --no-mmap --mlock --host 127.0.0.1

# Unsloth's guides: experts in main memory, the sampling that the model's makers recommend.
attempt /v1/chat/completions "$chat" '"content":' \
  --model Qwen3-Coder-30B-A3B-Instruct-UD-Q4_K_XL.gguf --threads -1 --ctx-size 16384 \
  --n-gpu-layers 99 -ot '.ffn_.*_exps.=CPU' --prio 3 --temp 0.7 --min-p 0.0 --top-p 0.80 \
  --top-k 20 --repeat-penalty 1.05 --jinja

# A configuration of llama-swap, and one of a machine with little GPU memory.
attempt /v1/chat/completions "$chat" '"content":' --host 127.0.0.1 --port "$PORT" -m model.gguf \
  --flash-attn on --metrics --slots --no-webui -ngl 999 --no-warmup --cache-reuse 256 \
  --slot-save-path . --log-disable --threads-http 4 --timeout 600 --cache-ram 256
attempt /v1/chat/completions "$chat" '"content":' -m model.gguf -ngl 99 --n-cpu-moe 30 -c 8192 \
  -b 4096 -ub 4096 --host 127.0.0.1 --api-key secret --alias qwen3 --seed 42 --no-kv-offload \
  --reasoning-format auto --reasoning-budget 0 --no-context-shift

# The code completion of llama.vim and llama.vscode.
attempt /infill "$infill" '"content":' -m Qwen2.5-Coder-7B-Q8_0.gguf --port "$PORT" -ngl 99 -fa on \
  -ub 1024 -b 1024 --ctx-size 0 --cache-reuse 256

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
