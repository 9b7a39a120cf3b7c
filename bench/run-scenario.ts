import { InputError } from "../models/command-line/input-error.js";
import { startCpuShare } from "./client/cpu-share.js";
import { HttpClient } from "./client/http-client.js";
import type { RequestRecord } from "./client/request-record.js";
import { PromptWriter } from "./prompts/prompt-writer.js";
import { measureTokensPerWord } from "./prompts/tokens-per-word.js";
import type { Load, Sample, Scenario } from "./scenarios/scenario.js";
import { readServerMemory } from "./servers/process-memory.js";
import { servedModel } from "./servers/served-model.js";
import { type RunningServer, type Side, withServer } from "./servers/server.js";
import type {
  ResultSettings,
  RunResult,
  ScenarioResult,
  SideResult,
} from "./summary/result-file.js";

/** Length of the prompt and of the answer that warm a server up before a run. */
const WARM_UP_TOKENS = 16;

export interface RunOptions {
  readonly settings: ResultSettings;
  /** Ours first. */
  readonly sides: readonly [Side, ...Side[]];
  readonly signal: AbortSignal;
  readonly onRun: (run: RunResult) => void;
}

/** One run on one server. */
interface ScheduledRun {
  readonly clients: number;
  readonly run: number;
  readonly side: Side;
}

/**
 * Measures a scenario. At each number of clients the sides' runs alternate (A B A B), each on a
 * freshly started server.
 * @throws {InputError} when a server cannot be started, or does not respond.
 */
export async function runScenario(
  scenario: Scenario,
  options: RunOptions,
): Promise<ScenarioResult> {
  const { settings, sides, signal, onRun } = options;
  const tokensPerWord = await withClient(sides[0], signal, ({ client }) =>
    measureTokensPerWord((request) => client.complete(request)),
  );
  const sideResults = new Map<string, SideResult>();
  const runs: RunResult[] = [];
  for (const scheduled of scheduleOf(settings, sides)) {
    const { label } = scheduled.side;
    await withClient(scheduled.side, signal, async ({ server, client }) => {
      sideResults.set(label, { label, version: server.version, command: server.command });
      const run = await runOnce(scenario, scheduled, { settings, server, client, tokensPerWord });
      signal.throwIfAborted();
      runs.push(run);
      onRun(run);
    });
  }
  return {
    scenario: scenario.name,
    description: scenario.description,
    settings,
    tokensPerWord,
    sides: [...sideResults.values()],
    measures: scenario.measures,
    targets: scenario.targets,
    runs,
  };
}

/** A B A B at each number of clients. */
function scheduleOf({ clients, runs }: ResultSettings, sides: readonly Side[]): ScheduledRun[] {
  return clients.flatMap((count) =>
    Array.from({ length: runs }, (_, index) =>
      sides.map((side) => ({ clients: count, run: index + 1, side })),
    ).flat(),
  );
}

interface Connected {
  readonly server: RunningServer;
  readonly client: HttpClient;
}

/** Starts a side's server and connects a client to it; the server is stopped afterwards. */
function withClient<Result>(
  side: Side,
  signal: AbortSignal,
  use: (connected: Connected) => Promise<Result>,
): Promise<Result> {
  return withServer(side, signal, async (server) => {
    const client = new HttpClient(server.baseUrl, await servedModel(server.baseUrl), signal);
    return use({ server, client });
  });
}

interface Run extends Connected {
  readonly settings: ResultSettings;
  readonly tokensPerWord: number;
}

async function runOnce(
  scenario: Scenario,
  { clients, run, side }: ScheduledRun,
  { settings, server, client, tokensPerWord }: Run,
): Promise<RunResult> {
  const key = [settings.seed, scenario.name, clients, run].join("/");
  const prompts = new PromptWriter(key, tokensPerWord);
  await warmUp(client, prompts, side.label);
  const records: RequestRecord[] = [];
  const samples: Sample[] = [];
  const load: Load = {
    clients,
    effort: settings.effort,
    prompts,
    complete: async (request, onFirstChunk) => {
      const record = await client.complete(request, onFirstChunk);
      records.push(record);
      return record;
    },
    health: () => client.health(),
    memory: () => readServerMemory(server),
    recordSample: (sample) => samples.push(sample),
  };
  const cpuShare = startCpuShare();
  const values = await scenario.run(load);
  return {
    clients,
    run,
    side: side.label,
    requests: records.length,
    errors: countErrors(records),
    clientCpuShare: cpuShare(),
    values: Object.fromEntries(
      Object.entries(values).filter(([, value]) => Number.isFinite(value)),
    ),
    samples,
  };
}

/** Requests a short answer, so that weights are loaded and code is compiled before measuring. */
async function warmUp(client: HttpClient, prompts: PromptWriter, label: string): Promise<void> {
  const content = prompts.text("warm-up", WARM_UP_TOKENS);
  const request = { messages: [{ role: "user" as const, content }], maxTokens: WARM_UP_TOKENS };
  const { error } = await client.complete(request);
  if (error !== undefined) throw new InputError(`${label}: the warm-up request failed: ${error}`);
}

function countErrors(records: readonly RequestRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { error } of records) {
    if (error !== undefined) counts[error] = (counts[error] ?? 0) + 1;
  }
  return counts;
}
