import { basename } from "node:path";
import type { Config } from "./config/settings.js";
import type { DraftModelDescription, EngineDescription } from "./core/engine.js";
import type { Daemon } from "./runtime.js";
import { version } from "./version.js";

/** What a person sees once the daemon is ready: what it serves, where, and a line to try. */
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
  const { model, slots, batchSize, kvCache, draftModel } = engine;
  const size = `${inUnits(model.parameters)} parameters, ${inUnits(model.sizeBytes)}B`;
  return [
    ["model", `${alias} (${model.architecture}, ${size})`],
    ["context", `${model.contextSize} tokens in each of ${slots} slots, batch ${batchSize}`],
    [
      "kv cache",
      `${inUnits(kvCache.bytes)}B in ${kvCache.type}, ${inUnits(kvCache.bytes / slots)}B a slot`,
    ],
    ...(draftModel === undefined ? [] : [["draft", drafting(draftModel)]]),
    ["device", computing(engine)],
  ];
}

/** `small (llama, 15 M parameters, 30 MB), kv cache 12 MB` */
function drafting(model: DraftModelDescription): string {
  const { path, architecture, parameters, sizeBytes, kvCacheBytes } = model;
  const size = `${inUnits(parameters)} parameters, ${inUnits(sizeBytes)}B`;
  return `${basename(path, ".gguf")} (${architecture}, ${size}), kv cache ${inUnits(kvCacheBytes)}B`;
}

/** `CPU, 4 threads`, and whether its llama.cpp is one of this machine's own. */
function computing({ device, threads, build }: EngineDescription): string {
  const own = build === "local" ? ["llama.cpp compiled here"] : [];
  return [device, `${threads} ${threads === 1 ? "thread" : "threads"}`, ...own].join(", ");
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
function inUnits(amount: number): string {
  const [unit, size] = (
    [
      ["G", 1e9],
      ["M", 1e6],
      ["k", 1e3],
    ] as const
  ).find(([, size]) => amount >= size) ?? ["", 1];
  return `${(amount / size).toFixed(amount / size < 10 ? 1 : 0)} ${unit}`;
}
