import { InputError } from "../models/command-line/input-error.js";
import type { KvCacheDescription } from "../src/core/engine.js";
import { type Flags, type FlagValues, parseFlags, readFlags } from "./flags.js";
import { modelForms } from "./model-source.js";
import type { Scenario } from "./scenarios/scenario.js";
import type { TodosOptions } from "./todos/todos-result.js";

/** Flags of the HTTP scenarios. */
const scenarioFlags = {
  model: { value: "MODEL", help: `${modelForms("generate")} (default: the scenario's)` },
  threads: { value: "N", help: "compute threads of each server (default: all cores)" },
  slots: {
    value: "N",
    help: "concurrent requests per server (default: the scenario's)",
  },
  context: { value: "N", help: "context size per slot, in tokens (default: the scenario's)" },
  clients: { value: "N,N,…", help: "client counts to measure (default: the scenario's)" },
  runs: { value: "N", help: "runs per server (default: 3)" },
  seed: { value: "TEXT", help: "seed of the prompts (default: the current time)" },
  peer: { value: "URL", help: "compare with a running server, e.g. http://127.0.0.1:8000/v1" },
  "no-peer": { help: "measure ggufd alone" },
  "llama-server": {
    value: "PATH",
    help: "llama-server (default: built from node-llama-cpp's bundle)",
  },
  "ours-flags": { value: "FLAGS", help: "additional flags for ggufd, separated by spaces" },
  "peer-flags": {
    value: "FLAGS",
    help: "additional flags for the compared server, separated by spaces",
  },
  json: {
    value: "FILE",
    help: "all results in one file (default: bench/results/SCENARIO-MODEL.json)",
  },
  quick: { help: "smoke test in seconds; its results are meaningless" },
} as const satisfies Flags;

/** Flags of the `engine` scenario. */
const engineFlags = {
  model: { value: "MODEL", help: `${modelForms("generate")} (default: 135m)` },
  threads: { value: "N", help: "compute threads (default: all cores)" },
  sequences: { value: "N,N,…", help: "sequence counts to measure (default: 1,8,32)" },
  tokens: { value: "N", help: "generated tokens per sequence (default: 128)" },
  runs: { value: "N", help: "runs per program (default: 3)" },
  "kv-cache-layout": {
    value: "LAYOUT",
    help: "KV cache layout of both: split or unified (default: split)",
  },
  "batched-bench": { value: "PATH", help: "llama-batched-bench (default: built from the bundle)" },
} as const satisfies Flags;

/** Flags of `todos`. */
const todosFlags = {
  items: {
    value: "N,N,…",
    help: "initial number of items in the file (default: 1000,10000,100000)",
  },
  clients: { value: "N,N,…", help: "numbers of writing clients (default: 1,32,256)" },
  seconds: { value: "N", help: "duration of each load, in seconds (default: 5)" },
  runs: { value: "N", help: "runs per server (default: 3)" },
  json: { value: "FILE", help: "output file (default: bench/results/todos.json)" },
} as const satisfies Flags;

/** Flags of `schemas`. */
const schemasFlags = {
  data: { value: "FILE", help: "MaskBench file: lines of {name, schema, tests: [{valid, data}]}" },
  vocabulary: {
    value: "NAME",
    help: "tokenizer from llama.cpp's vocabulary files (default: qwen2)",
  },
  json: { value: "FILE", help: "output file (default: bench/results/schemas.json)" },
} as const satisfies Flags;

/** Server that ggufd is compared with. */
export type PeerChoice =
  | { readonly kind: "none" }
  | { readonly kind: "url"; readonly baseUrl: string }
  | { readonly kind: "llama-server"; readonly program: string | undefined };

/**
 * Options of HTTP scenarios. Absent options default to the scenario's values, or to the machine's.
 */
export interface ScenarioOptions {
  readonly model: string | undefined;
  readonly threads: number | undefined;
  readonly slots: number | undefined;
  readonly contextSize: number | undefined;
  readonly clients: readonly number[] | undefined;
  readonly runs: number;
  readonly seed: string | undefined;
  readonly peer: PeerChoice;
  readonly oursFlags: readonly string[];
  readonly peerFlags: readonly string[];
  readonly json: string | undefined;
  readonly effort: "full" | "quick";
}

export interface EngineOptions {
  readonly model: string;
  readonly threads: number | undefined;
  readonly sequences: readonly number[];
  readonly tokens: number;
  readonly runs: number;
  readonly layout: KvCacheDescription["layout"];
  readonly batchedBench: string | undefined;
}

export interface TodosCommandOptions extends TodosOptions {
  readonly json: string | undefined;
}

export interface SchemasOptions {
  readonly data: string;
  readonly vocabulary: string;
  readonly json: string | undefined;
}

/** Parsed command line. */
export type BenchCommand =
  | { readonly kind: "help" }
  | { readonly kind: "engine"; readonly options: EngineOptions }
  | { readonly kind: "todos"; readonly options: TodosCommandOptions }
  | { readonly kind: "schemas"; readonly options: SchemasOptions }
  | {
      readonly kind: "scenarios";
      readonly scenarios: readonly Scenario[];
      readonly options: ScenarioOptions;
    };

/**
 * Parses the command line of `npm run bench`.
 * @throws {InputError} naming what was expected and what was received.
 */
export function parseCommandLine(
  args: readonly string[],
  scenarios: readonly Scenario[],
): BenchCommand {
  if (args.includes("--help") || args.includes("-h")) return { kind: "help" };
  const requested = namesOf(args);
  if (requested.includes("engine")) return { kind: "engine", options: engineOptions(args) };
  if (requested.includes("todos")) return { kind: "todos", options: todosOptions(args) };
  if (requested.includes("schemas")) return { kind: "schemas", options: schemasOptions(args) };
  const { names, values } = readFlags(args, scenarioFlags);
  const valid = ["engine", "todos", "schemas", ...scenarios.map(({ name }) => name)].join(", ");
  if (names.length === 0) throw new InputError(`bench: expected one of ${valid}, got no scenario`);
  const selected = names.map((name) => {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    if (scenario !== undefined) return scenario;
    throw new InputError(`bench: expected one of ${valid}, got ${JSON.stringify(name)}`);
  });
  return { kind: "scenarios", scenarios: selected, options: scenarioOptions(values) };
}

/** The output of `--help`. */
export function helpText(scenarios: readonly Scenario[]): string {
  const formatList = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([name, help]) => `  ${name.padEnd(24)}${help}`).join("\n");
  const formatFlags = (flags: Flags) =>
    formatList(
      Object.entries(flags).map(([name, { value, help }]) => [
        value === undefined ? `--${name}` : `--${name} ${value}`,
        help,
      ]),
    );
  return [
    "npm run bench -- SCENARIO... [FLAGS]   ggufd against llama-server, over HTTP",
    formatList(scenarios.map(({ name, description }) => [name, description])),
    `\nFlags:\n${formatFlags(scenarioFlags)}`,
    "\nnpm run bench -- engine [FLAGS]        the engine alone against llama-batched-bench",
    `\nFlags:\n${formatFlags(engineFlags)}`,
    "\nnpm run bench -- todos [FLAGS]         the to-do service against plain lowdb and Fastify",
    `\nFlags:\n${formatFlags(todosFlags)}`,
    "\nnpm run bench -- schemas [FLAGS]       JSON schemas as grammars, by MaskBench's procedure",
    `\nFlags:\n${formatFlags(schemasFlags)}`,
  ].join("\n");
}

function scenarioOptions(values: FlagValues): ScenarioOptions {
  return {
    model: values.value("model"),
    threads: values.integer("threads"),
    slots: values.integer("slots"),
    contextSize: values.integer("context"),
    clients: values.integers("clients"),
    runs: values.integer("runs") ?? 3,
    seed: values.value("seed"),
    peer: peerChoice(values),
    oursFlags: values.words("ours-flags"),
    peerFlags: values.words("peer-flags"),
    json: values.value("json"),
    effort: values.has("quick") ? "quick" : "full",
  };
}

function engineOptions(args: readonly string[]): EngineOptions {
  const values = readExclusiveFlags("engine", args, engineFlags);
  return {
    model: values.value("model") ?? "135m",
    threads: values.integer("threads"),
    sequences: values.integers("sequences") ?? [1, 8, 32],
    tokens: values.integer("tokens") ?? 128,
    runs: values.integer("runs") ?? 3,
    layout: cacheLayout(values),
    batchedBench: values.value("batched-bench"),
  };
}

function cacheLayout(values: FlagValues): KvCacheDescription["layout"] {
  const layout = values.value("kv-cache-layout") ?? "split";
  if (layout === "split" || layout === "unified") return layout;
  throw new InputError(`--kv-cache-layout: expected split or unified, got ${layout}`);
}

function todosOptions(args: readonly string[]): TodosCommandOptions {
  const values = readExclusiveFlags("todos", args, todosFlags);
  return {
    items: values.integers("items") ?? [1000, 10_000, 100_000],
    clients: values.integers("clients") ?? [1, 32, 256],
    seconds: values.integer("seconds") ?? 5,
    runs: values.integer("runs") ?? 3,
    json: values.value("json"),
  };
}

function schemasOptions(args: readonly string[]): SchemasOptions {
  const values = readExclusiveFlags("schemas", args, schemasFlags);
  const data = values.value("data");
  if (data === undefined) throw new InputError("bench schemas: expected --data FILE");
  return {
    data,
    vocabulary: values.value("vocabulary") ?? "qwen2",
    json: values.value("json"),
  };
}

/** Reads the flags of a benchmark that cannot be combined with others. */
function readExclusiveFlags(name: string, args: readonly string[], flags: Flags): FlagValues {
  const { names, values } = readFlags(args, flags);
  if (names.length === 1) return values;
  throw new InputError(`bench: expected ${name} alone, got ${names.join(" ")}`);
}

function peerChoice(values: FlagValues): PeerChoice {
  const peerFlags = ["peer", "no-peer", "llama-server"].filter((name) => values.has(name));
  if (peerFlags.length > 1) {
    const flags = peerFlags.map((name) => `--${name}`).join(" and ");
    throw new InputError(`bench: expected one peer, got ${flags}`);
  }
  if (values.has("no-peer")) return { kind: "none" };
  const url = values.value("peer");
  if (url === undefined) return { kind: "llama-server", program: values.value("llama-server") };
  if (!/^http:\/\/[^/]+/.test(url) || !URL.canParse(url)) {
    throw new InputError(`--peer: expected a URL such as http://127.0.0.1:8000/v1, got ${url}`);
  }
  return { kind: "url", baseUrl: url.replace(/\/+$/, "") };
}

/** Finds the positional arguments of a command line, skipping the flags of all commands. */
function namesOf(args: readonly string[]): string[] {
  return parseFlags(args, {
    ...scenarioFlags,
    ...engineFlags,
    ...todosFlags,
    ...schemasFlags,
  }).positionals;
}
