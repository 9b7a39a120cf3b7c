/**
 * The files of vitest's projects, as patterns. A file that no project claims is a unit test: it starts no process and
 * no server, loads no native library, and none of its tests takes as long as a second.
 */

/** With the HTTP application, over a scripted engine: otherwise as quick as unit tests, but for the 45 ms of each application; or with a server that stands in for it. */
export const http = [
  "test/{api,http,serve}/**/*.test.ts",
  "test/cli/{chat/run-command,daemon/daemon-client,daemon/loading}.test.ts",
  "test/cli/models/daemon-commands.test.ts",
  "test/core/sampling-table.test.ts",
];

/** How the shipped model was made. */
export const training = ["test/models/training/**/*.test.ts"];

/** With real models. */
export const real = ["test/real/**/*.test.ts"];

/** On a GPU, which a driver may compute on the CPU. */
export const vulkan = ["test/vulkan/**/*.test.ts"];

/** Of clients that are too heavy for `npm test`. */
export const clients = ["test/clients/*.test.ts"];

/** In Chromium, which needs the cores to itself. */
export const browser = ["test/contract/docs-page.test.ts"];

/** In Chromium, with minutes for all of them. */
export const longBrowser = ["test/page/browser/*.test.ts", "test/daemon/page.test.ts"];

/** With half a minute and more for each file, about what changes seldom: the gate runs them, `npm test` does not. */
export const long = [
  "test/bench/run-scenario.test.ts",
  "test/conversations/file/power-failure.test.ts",
  "test/daemon/{answers-after-crash,behind-haproxy,broken-models,conversations-kept,daemon-killed}.test.ts",
  "test/daemon/{devices,dockerfiles,engine-crash,entrance,lora-adapters}.test.ts",
  "test/daemon/{engine-hang,fuzzed-media,large-bodies,lora-under-load,models-at-random,models-beside,models-killed}.test.ts",
  "test/daemon/{media-decoding,models-on-demand,mutated-models,on-a-gpu,projectors}.test.ts",
  "test/docs/generated-plans.test.ts",
  "test/engine/native/state-drafts.test.ts",
  "test/engine/native/companion/compiled-addons.test.ts",
  "test/engine/text/output/grammars/{call-grammar,lark-calls,strict-calls,unoffered-names}.test.ts",
  "test/engine/threads/thread-calibration.test.ts",
  "test/grammar/{json-schema/generated-schemas,mask/token-masks,regex/regex-grammar}.test.ts",
  "test/real/{checkpoints,differential,equal-answers,state-drafts,structured-output,tokenizers}.test.ts",
  "test/todos/faults/{kill,operations,power-failure}.test.ts",
];

/** With processes. */
const processes = [
  "test/bench/{chaos,origin,servers}.test.ts",
  "test/cli/launch/launch-command.test.ts",
  "test/contract/description.test.ts",
  "test/daemon/*.test.ts",
  "test/deploy/{kubernetes,monitoring,systemd}.test.ts",
  "test/docs/{generated-files,links}.test.ts",
  "test/engine/cache/state-store.test.ts",
  "test/files/named-files.test.ts",
  "test/models/command-line/run-script.test.ts",
  "test/telemetry/tracing/loaded-on-demand.test.ts",
  "test/serve/body-worker.test.ts",
  "test/models/pull/processes.test.ts",
  "test/{conversations,todos}/full-disk.test.ts",
  "test/todos/file/file-lock.test.ts",
];

/** With llama.cpp, which may be there for a vocabulary only. */
const native = [
  "test/cli/{plan-command,models/commands}.test.ts",
  "test/engine/{devices,loading,memory,native}/**/*.test.ts",
  "test/engine/media/decode-file.test.ts",
  "test/process/decoder-{pool,process}.test.ts",
  "test/engine/text/vocabulary/vocabulary.test.ts",
  "test/engine/text/prompt/templates/{llama-server-prompts,reasoning-beginnings,round-trips}.test.ts",
  "test/grammar/gbnf/llama-cpp-parity.test.ts",
  "test/engine/constraints/grammar-progress.hostile.test.ts",
  "test/grammar/mask/token-masks.test.ts",
  "test/models/random/*.test.ts",
];

/** With so many cases, or such large ones, that a test takes a second or more. */
const thorough = [
  "test/api/{description/routes,generated/*,todos/v1/any-request}.test.ts",
  "test/api/responses/long-conversations.test.ts",
  "test/bench/{rolling,run-scenario,stalls-bodies,stalls-requests}.test.ts",
  "test/conversations/quotas.test.ts",
  "test/contract/{operations,description-examples,specification/specification}.test.ts",
  "test/engine/cache/states-by-identity.property.test.ts",
  "test/engine/text/output/reported-scores.test.ts",
  "test/engine/step/step-loop.{adapters,fairness,media.property,prediction,prompt-scores,property,reasoning,unified}.test.ts",
  "test/engine/step/running-generation.scores.test.ts",
  "test/engine/text/output/conventions/conventions.test.ts",
  "test/engine/text/output/grammars/{call-grammar,lark-calls,strict-calls,unoffered-names}.test.ts",
  "test/engine/threads/thread-calibration.test.ts",
  "test/figures/prometheus-text.test.ts",
  "test/grammar/json-schema/{generated-schemas,hostile-schemas,numbers}.test.ts",
  "test/grammar/language/{character-expression,members-expression}.test.ts",
  "test/grammar/lark/{gbnf-parity,may-get-stuck}.test.ts",
  "test/grammar/{grammar-library,gbnf/parse-gbnf,regex/regex-grammar}.test.ts",
  "test/models/gguf/gguf-file.test.ts",
  // Each pull waits for the disk some ten times.
  "test/models/pull/puller.*.test.ts",
  "test/http/{limits,write-timeout}.test.ts",
  "test/telemetry/tracing/tracing.test.ts",
  "test/page/markdown/pathological.test.ts",
  "test/todos/{todo-store.model,file/{todo-file,todo-file-adapter}}.test.ts",
  "test/todos/collection/{todo-index,todo-page}.test.ts",
];

/** What needs more than a unit test, other than real models. */
export const server = [...processes, ...native, ...thorough];
