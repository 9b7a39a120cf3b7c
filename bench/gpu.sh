#!/usr/bin/env bash
# Measures ggufd on a GPU in nine minutes: bench/gpu.sh [--dry-run] [RESULT.json]
#
# The most important scenarios come first; those for which no time is left are skipped. RESULT.json
# (default bench/results/gpu.json) is one file for `npm run bench:publish -- RESULT.json`. Nothing is
# downloaded except npm packages, if node_modules is missing.
#
#   GPU=cuda|vulkan|metal   backend of ggufd (default: the best one that `ggufd devices` finds)
#   LLAMA_SERVER=FILE       llama-server built for the same backend; without it, ggufd is measured alone
#   MINUTES=9               time for everything
#
# --dry-run uses tiny models and quick sizes, and accepts a driver that computes on the CPU: it tests
# this script, and its results say nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

dry_run=false
if [[ ${1:-} == --dry-run ]]; then
  dry_run=true
  shift
fi
result=$(realpath -m "${1:-bench/results/gpu.json}")
deadline=$((SECONDS + ${MINUTES:-9} * 60))
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

[[ -d node_modules ]] || npm ci --ignore-scripts --no-audit --no-fund
npm run --silent build

gpu=${GPU:-}
if [[ -z $gpu ]]; then
  devices=$(node dist/main.js devices)
  gpu=$(grep -ioE '\b(cuda|vulkan|metal)\b' <<<"$devices" | head -n 1 | tr '[:upper:]' '[:lower:]') || true
fi
if [[ -z $gpu ]]; then
  echo "There is no GPU that ggufd can use; \`node dist/main.js devices\` says why." >&2
  exit 1
fi

compared=(--no-peer)
if [[ -n ${LLAMA_SERVER:-} ]]; then
  compared=(--llama-server "$LLAMA_SERVER" --peer-flags "-ngl 99")
fi

# Scenario, model, and flags. Each line is one part of the result.
lines=(
  "startup 1b+gpt-2"
  "decode 1b+gpt-2 --clients 1,8,32,64"
  "prefill 1b+gpt-2"
  "shared-prefix 1b+gpt-2"
  "json 1b+gpt-2"
  "embeddings embed-22m+bert-bge"
  "startup 8b+gpt-2"
  "decode 8b+gpt-2 --clients 1,8,32"
)
effort=(--runs 1)
ours="--gpu $gpu"
if $dry_run; then
  lines=("startup tiny" "decode tiny" "prefill tiny" "embeddings embed-tiny+bert-bge")
  effort=(--quick --runs 1)
  # Vulkan may use a driver that computes on the CPU; older ones need the last two.
  export GGML_VK_VISIBLE_DEVICES=0 GGML_VK_DISABLE_F16=1 GGML_VK_DISABLE_FUSION=1
  # A driver that computes on the CPU may take minutes for a step.
  ours+=" --engine-watchdog 0"
fi

number=0
for line in "${lines[@]}"; do
  read -r scenario model flags <<<"$line"
  left=$((deadline - SECONDS))
  if ((left < 20)); then
    echo "skipped, because the time is used up: $line" >&2
    if $dry_run; then exit 1; fi
    continue
  fi
  number=$((number + 1))
  # shellcheck disable=SC2086 # the flags are separate words
  if ! timeout "$left" npm run --silent bench -- "$scenario" --model "$model" $flags "${effort[@]}" \
    "${compared[@]}" --ours-flags "$ours" --json "$parts/$(printf %02d $number).json"; then
    echo "failed, or out of time: $line" >&2
    if $dry_run; then exit 1; fi
    rm -f "$parts/$(printf %02d $number).json"
  fi
done

mkdir -p "$(dirname "$result")"
node - "$parts" "$result" <<'JS'
const { readdirSync, readFileSync, writeFileSync } = require("node:fs");
const [folder, target] = process.argv.slice(2);
const files = readdirSync(folder).sort();
if (files.length === 0) throw new Error("no scenario has ended: there is no result");
const parts = files.map((file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")));
const whole = { ...parts[0], results: parts.flatMap(({ results }) => results) };
writeFileSync(target, `${JSON.stringify(whole, null, 1)}\n`);
console.log(`${whole.results.length} results: ${target}`);
JS
