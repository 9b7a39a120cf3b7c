import { InputError } from "../models/command-line/input-error.js";
import { type Flags, type FlagTexts, readFlags, splitFlags } from "./flags.js";
import { MODEL_FORMS } from "./model-source.js";
import type { Scenario } from "./scenarios/scenario.js";
import type { TodosOptions } from "./todos/todos-result.js";

/** The flags of the scenarios over HTTP. */
const scenarioFlags = {
  model: { value: "MODEL", help: `${MODEL_FORMS} (default: the scenario's)` },
  threads: { value: "N", help: "computing threads of both servers (default: all cores)" },
  slots: {
    value: "N",
    help: "requests that a server works on at a time (default: the scenario's)",
  },
  context: { value: "N", help: "tokens of one slot (default: the scenario's)" },
  clients: { value: "N,N,…", help: "numbers of clients to measure (default: the scenario's)" },
  runs: { value: "N", help: "runs on each server (default: 3)" },
  seed: { value: "TEXT", help: "the same seed gives the same prompts (default: the time)" },
  peer: { value: "URL", help: "compare with a running server, e.g. http://127.0.0.1:8000/v1" },
  "no-peer": { help: "measure ours alone" },
  "llama-server": { value: "PATH", help: "the peer (default: built from node-llama-cpp's bundle)" },
  "ours-flags": { value: "FLAGS", help: "more flags for ours, separated by spaces" },
  "peer-flags": { value: "FLAGS", help: "more flags for the peer, separated by spaces" },
  json: {
    value: "FILE",
    help: "all results in one file (default: bench/results/SCENARIO-MODEL.json)",
  },
  quick: { help: "see in seconds whether everything works; the figures mean nothing" },
} as const satisfies Flags;

/** The flags of the scenario `engine`. */
const engineFlags = {
  model: { value: "MODEL", help: `${MODEL_FORMS} (default: 135m)` },
  threads: { value: "N", help: "computing threads (default: all cores)" },
  sequences: { value: "N,N,…", help: "numbers of sequences to measure (default: 1,8,32)" },
  tokens: { value: "N", help: "tokens that each sequence generates (default: 128)" },
  runs: { value: "N", help: "runs of each program (default: 3)" },
  "batched-bench": { value: "PATH", help: "llama-batched-bench (default: built from the bundle)" },
} as const satisfies Flags;

/** The flags of `todos`. */
const todosFlags = {
  items: {
    value: "N,N,…",
    help: "items in the file when a run begins (default: 1000,10000,100000)",
  },
  clients: { value: "N,N,…", help: "numbers of clients that write (default: 1,32,256)" },
  seconds: { value: "N", help: "length of each load (default: 5)" },
  runs: { value: "N", help: "runs on each server (default: 3)" },
  json: { value: "FILE", help: "where the results go (default: bench/results/todos.json)" },
} as const satisfies Flags;

/** Whom ours is compared with. */
export type PeerChoice =
  | { readonly kind: "none" }
  | { readonly kind: "url"; readonly baseUrl: string }
  | { readonly kind: "llama-server"; readonly program: string | undefined };

/** What is absent comes from the scenario, or from the machine. */
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
  readonly batchedBench: string | undefined;
}

export interface TodosCommandOptions extends TodosOptions {
  readonly json: string | undefined;
}

/** What a command line asks for. */
export type BenchCommand =
  | { readonly kind: "help" }
  | { readonly kind: "engine"; readonly options: EngineOptions }
  | { readonly kind: "todos"; readonly options: TodosCommandOptions }
  | {
      readonly kind: "scenarios";
      readonly scenarios: readonly Scenario[];
      readonly options: ScenarioOptions;
    };

/**
 * Reads the command line of `npm run bench`.
 * @throws {InputError} naming what was expected and what came.
 */
export function parseCommandLine(
  args: readonly string[],
  scenarios: readonly Scenario[],
): BenchCommand {
  if (args.includes("--help") || args.includes("-h")) return { kind: "help" };
  const asked = namesOf(args);
  if (asked.includes("engine")) return { kind: "engine", options: engineOptions(args) };
  if (asked.includes("todos")) return { kind: "todos", options: todosOptions(args) };
  const { names, texts } = readFlags(args, scenarioFlags);
  const known = ["engine", "todos", ...scenarios.map(({ name }) => name)].join(", ");
  if (names.length === 0) throw new InputError(`bench: expected one of ${known}, got no scenario`);
  const chosen = names.map((name) => {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    if (scenario !== undefined) return scenario;
    throw new InputError(`bench: expected one of ${known}, got ${JSON.stringify(name)}`);
  });
  return { kind: "scenarios", scenarios: chosen, options: scenarioOptions(texts) };
}

/** What `--help` prints. */
export function helpText(scenarios: readonly Scenario[]): string {
  const listed = (rows: readonly (readonly [string, string])[]) =>
    rows.map(([name, help]) => `  ${name.padEnd(24)}${help}`).join("\n");
  const flags = (table: Flags) =>
    listed(
      Object.entries(table).map(([name, { value, help }]) => [
        value === undefined ? `--${name}` : `--${name} ${value}`,
        help,
      ]),
    );
  return [
    "npm run bench -- SCENARIO... [FLAGS]   ours against llama-server, over HTTP",
    listed(scenarios.map(({ name, description }) => [name, description])),
    `\nFlags:\n${flags(scenarioFlags)}`,
    "\nnpm run bench -- engine [FLAGS]        the engine alone against llama-batched-bench",
    `\nFlags:\n${flags(engineFlags)}`,
    "\nnpm run bench -- todos [FLAGS]         the to-do service against lowdb and Fastify alone",
    `\nFlags:\n${flags(todosFlags)}`,
  ].join("\n");
}

function scenarioOptions(texts: FlagTexts): ScenarioOptions {
  return {
    model: texts.value("model"),
    threads: texts.integer("threads"),
    slots: texts.integer("slots"),
    contextSize: texts.integer("context"),
    clients: texts.integers("clients"),
    runs: texts.integer("runs") ?? 3,
    seed: texts.value("seed"),
    peer: peerChoice(texts),
    oursFlags: texts.words("ours-flags"),
    peerFlags: texts.words("peer-flags"),
    json: texts.value("json"),
    effort: texts.given("quick") ? "quick" : "full",
  };
}

function engineOptions(args: readonly string[]): EngineOptions {
  const texts = readFlagsOf("engine", args, engineFlags);
  return {
    model: texts.value("model") ?? "135m",
    threads: texts.integer("threads"),
    sequences: texts.integers("sequences") ?? [1, 8, 32],
    tokens: texts.integer("tokens") ?? 128,
    runs: texts.integer("runs") ?? 3,
    batchedBench: texts.value("batched-bench"),
  };
}

function todosOptions(args: readonly string[]): TodosCommandOptions {
  const texts = readFlagsOf("todos", args, todosFlags);
  return {
    items: texts.integers("items") ?? [1000, 10_000, 100_000],
    clients: texts.integers("clients") ?? [1, 32, 256],
    seconds: texts.integer("seconds") ?? 5,
    runs: texts.integer("runs") ?? 3,
    json: texts.value("json"),
  };
}

/** The flags of what cannot be measured together with others. */
function readFlagsOf(name: string, args: readonly string[], flags: Flags): FlagTexts {
  const { names, texts } = readFlags(args, flags);
  if (names.length === 1) return texts;
  throw new InputError(`bench: expected ${name} alone, got ${names.join(" ")}`);
}

function peerChoice(texts: FlagTexts): PeerChoice {
  const given = ["peer", "no-peer", "llama-server"].filter((name) => texts.given(name));
  if (given.length > 1) {
    const flags = given.map((name) => `--${name}`).join(" and ");
    throw new InputError(`bench: expected one peer, got ${flags}`);
  }
  if (texts.given("no-peer")) return { kind: "none" };
  const url = texts.value("peer");
  if (url === undefined) return { kind: "llama-server", program: texts.value("llama-server") };
  if (!/^http:\/\/[^/]+/.test(url) || !URL.canParse(url)) {
    throw new InputError(`--peer: expected a URL such as http://127.0.0.1:8000/v1, got ${url}`);
  }
  return { kind: "url", baseUrl: url.replace(/\/+$/, "") };
}

/** The names on a command line, whichever flags stand between them. */
function namesOf(args: readonly string[]): string[] {
  return splitFlags(args, { ...scenarioFlags, ...engineFlags, ...todosFlags }).positionals;
}
