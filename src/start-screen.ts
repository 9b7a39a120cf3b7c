import { basename } from "node:path";
import type { Config } from "./config/settings.js";
import type { DraftModelDescription, EngineDescription, ThreadCounts } from "./core/engine.js";
import type { Daemon } from "./runtime.js";
import { version } from "./version.js";

/** Formats the summary printed once the daemon is ready: model, URLs and an example request. */
export function startScreen({ url, model }: Daemon, config: Config): string {
  const rows = [
    ...(model === undefined ? [["model", "none"]] : modelRows(model)),
    ["url", url],
    ["todos", `${config.todos} at ${url}/v1/todos and /api/todos`],
    ["docs", `${url}/docs`],
  ];
  const lines = [
    `ggufd ${version}`,
    "",
    ...rows.map(([label = "", value = ""]) => `  ${label.padEnd(9)}${value}`),
    "",
    ...(model === undefined ? tryTodos(url) : tryChat(url)),
  ];
  return `${lines.join("\n")}\n`;
}

function modelRows({ alias, engine }: NonNullable<Daemon["model"]>): string[][] {
  const { model, slots, batchSize, kvCache, draftModel, outputFormat } = engine;
  const size = `${siUnits(model.parameters)} parameters, ${siUnits(model.sizeBytes)}B`;
  return [
    ["model", `${alias} (${model.architecture}, ${size})`],
    ["context", `${contextSummary(engine)}, batch ${batchSize}`],
    [
      "kv cache",
      `${siUnits(kvCache.bytes)}B in ${kvCache.type}, ${siUnits(kvCache.bytes / slots)}B a slot`,
    ],
    ...(draftModel === undefined ? [] : [["draft", draftSummary(draftModel)]]),
    ["device", deviceSummary(engine)],
    ["tools", `${outputFormat.convention} format`],
  ];
}

function contextSummary({ model, slots, kvCache }: EngineDescription): string {
  return kvCache.layout === "split"
    ? `${model.contextSize} tokens in each of ${slots} slots`
    : `up to ${model.contextSize} tokens a request, ${slots} slots share the cache`;
}

/** `small (llama, 15 M parameters, 30 MB), kv cache 12 MB` */
function draftSummary(model: DraftModelDescription): string {
  const { path, architecture, parameters, sizeBytes, kvCacheBytes } = model;
  const size = `${siUnits(parameters)} parameters, ${siUnits(sizeBytes)}B`;
  return `${basename(path, ".gguf")} (${architecture}, ${size}), kv cache ${siUnits(kvCacheBytes)}B`;
}

/** `CPU, 4 threads`, and whether llama.cpp was compiled on this machine. */
function deviceSummary({ device, threads, build }: EngineDescription): string {
  const localBuild = build === "local" ? ["llama.cpp compiled here"] : [];
  return [device, threadSummary(threads), ...localBuild].join(", ");
}

/** `1 thread, 4 for prompts` */
function threadSummary({ decode, prefill }: ThreadCounts): string {
  const forPrompts = prefill === decode ? "" : `, ${prefill} for prompts`;
  return `${decode} ${decode === 1 ? "thread" : "threads"}${forPrompts}`;
}

function tryChat(url: string): string[] {
  return [
    `  try      curl ${url}/v1/chat/completions -H 'content-type: application/json' \\`,
    `             -d '{"messages":[{"role":"user","content":"Hello! Who are you?"}]}'`,
  ];
}

function tryTodos(url: string): string[] {
  return [
    `  try      curl ${url}/api/todos -H 'content-type: application/json' -d '{"title":"Write"}'`,
  ];
}

/** 135000000 → `135 M` */
function siUnits(amount: number): string {
  const [unit, size] = (
    [
      ["G", 1e9],
      ["M", 1e6],
      ["k", 1e3],
    ] as const
  ).find(([, size]) => amount >= size) ?? ["", 1];
  return `${(amount / size).toFixed(amount / size < 10 ? 1 : 0)} ${unit}`;
}
