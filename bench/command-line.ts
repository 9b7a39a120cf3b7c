import { InputError } from "../models/input-error.js";
import { type Flags, type FlagTexts, readFlags, splitFlags } from "./flags.js";
import { MODEL_FORMS } from "./model-source.js";
import type { Scenario } from "./scenarios/scenario.js";

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

/** What a command line asks for. */
export type BenchCommand =
  | { readonly kind: "help" }
  | { readonly kind: "engine"; readonly options: EngineOptions }
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
  if (namesOf(args).includes("engine")) {
    return { kind: "engine", options: engineOptions(args) };
  }
  const { names, texts } = readFlags(args, scenarioFlags);
  const known = ["engine", ...scenarios.map(({ name }) => name)].join(", ");
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
  const { names, texts } = readFlags(args, engineFlags);
  if (names.length > 1) {
    throw new InputError(`bench: expected engine alone, got ${names.join(" ")}`);
  }
  return {
    model: texts.value("model") ?? "135m",
    threads: texts.integer("threads"),
    sequences: texts.integers("sequences") ?? [1, 8, 32],
    tokens: texts.integer("tokens") ?? 128,
    runs: texts.integer("runs") ?? 3,
    batchedBench: texts.value("batched-bench"),
  };
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
  return splitFlags(args, { ...scenarioFlags, ...engineFlags }).positionals;
}
