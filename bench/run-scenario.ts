import { InputError } from "../models/command-line/input-error.js";
import { startCpuShare } from "./client/cpu-share.js";
import { HttpClient } from "./client/http-client.js";
import type { RequestRecord } from "./client/request-record.js";
import type { ModelPurpose } from "./model-purpose.js";
import { PromptWriter } from "./prompts/prompt-writer.js";
import { measureTokensPerWord } from "./prompts/tokens-per-word.js";
import type { Load, Sample, Scenario } from "./scenarios/scenario.js";
import { loadedKernels } from "./servers/loaded-kernels.js";
import { readProportionalMemory, readServerMemory } from "./servers/process-memory.js";
import { servedModels } from "./servers/served-models.js";
import { type RunningServer, type Side, withServer } from "./servers/server.js";
import { findServerProcesses } from "./servers/server-processes.js";
import { readThreadCpu } from "./servers/thread-cpu.js";
import type {
  CalibrationResult,
  ResultSettings,
  RunResult,
  ScenarioResult,
  SideResult,
} from "./summary/result-file.js";

/**
 * Warm-up before a run: clients, the maximum time for which they send requests, and the length of
 * an answer. V8 compiles what runs for every token during the first two thousand of them.
 */
const WARM_UP = {
  full: { clients: 8, ms: 10_000, answerTokens: 128 },
  quick: { clients: 1, ms: 0, answerTokens: 16 },
} as const;
/** Number of answers after which a server is warm; on a GPU, they take a second or two. */
const WARM_ANSWERS: Readonly<Record<ModelPurpose, number>> = {
  generate: 20,
  embed: 500,
  rerank: 500,
};
/** Length of a prompt of the warm-up, in tokens. */
const WARM_UP_TOKENS = 16;

interface RunOptions {
  readonly settings: ResultSettings;
  /** Compared servers, ggufd first. */
  readonly sides: readonly [Side, ...Side[]];
  readonly signal: AbortSignal;
  readonly onRun: (run: RunResult) => void;
  /** Called with every sample and with the values of every calibration. */
  readonly onSample: (sample: Sample, phase: Phase) => void;
}

/** Purpose of one freshly started server. */
export interface Phase {
  readonly clients: number;
  /** Number of the run, from 1. */
  readonly run: number | "calibration";
  readonly side: Side;
}

/**
 * Measures a scenario. At each number of clients every side is calibrated if the scenario needs it;
 * then the sides' runs alternate (A B A B). Each phase has a freshly started server.
 * @throws {InputError} if a server cannot be started, or does not respond
 */
export async function runScenario(
  scenario: Scenario,
  options: RunOptions,
): Promise<ScenarioResult> {
  const { settings, sides, signal, onRun, onSample } = options;
  const { purpose = "generate" } = scenario;
  const tokensPerWord = await withClient(sides[0], signal, ({ client }) =>
    measureTokensPerWord((content) => askOnce(client, purpose, content, 1)),
  );
  const vectors = await vectorsOf(scenario, sides, signal);
  const sideResults = new Map<string, SideResult>();
  const calibrations: CalibrationResult[] = [];
  const runs: RunResult[] = [];
  for (const phase of phasesOf(scenario, settings, sides)) {
    const { clients, run, side } = phase;
    const { label } = side;
    await withClient(side, signal, async (connected) => {
      const { server, client } = connected;
      const key = [settings.seed, scenario.name, clients, run].join("/");
      const prompts = new PromptWriter(key, tokensPerWord);
      if (!scenario.startsCold) {
        await warmUp(client, purpose, { prompts, label, effort: settings.effort });
      }
      if (!sideResults.has(label)) sideResults.set(label, describeSide(label, server));
      const calibrated = calibrations.filter((calibration) => calibration.clients === clients);
      const recorder = recordLoad(phase, options, {
        ...{ ...connected, prompts, vectors },
        calibrations: calibrated.map(({ values }) => values),
      });
      if (run === "calibration") {
        const values = (await scenario.calibrate?.(recorder.load)) ?? {};
        signal.throwIfAborted();
        calibrations.push({ clients, side: label, values });
        onSample(values, phase);
      } else {
        const result = { clients, run, side: label, ...(await measure(scenario, recorder)) };
        signal.throwIfAborted();
        runs.push(result);
        onRun(result);
      }
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
    curve: scenario.curve,
    calibrations,
    runs,
  };
}

/** Lists the phases at each number of clients: calibrations, if any, then A B A B. */
function phasesOf(
  { calibrate }: Scenario,
  { clients, runs }: ResultSettings,
  sides: readonly Side[],
): Phase[] {
  const rounds = [
    ...(calibrate === undefined ? [] : ["calibration" as const]),
    ...Array.from({ length: runs }, (_, index) => index + 1),
  ];
  return clients.flatMap((count) =>
    rounds.flatMap((run) => sides.map((side) => ({ clients: count, run, side }))),
  );
}

interface Connected {
  readonly server: RunningServer;
  readonly client: HttpClient;
  /** Names of all models of the server. */
  readonly models: readonly string[];
}

/** Starts a side's server and connects a client to it for the duration of a callback. */
function withClient<Result>(
  side: Side,
  signal: AbortSignal,
  use: (connected: Connected) => Promise<Result>,
): Promise<Result> {
  return withServer(side, signal, async (server) => {
    const models = await servedModels(server.baseUrl);
    return use({ server, models, client: new HttpClient(server.baseUrl, models[0], signal) });
  });
}

/** Load and the recordings of it. */
interface LoadRecorder {
  readonly load: Load;
  readonly records: readonly RequestRecord[];
  readonly samples: readonly Sample[];
}

function recordLoad(
  phase: Phase,
  { settings, signal, onSample }: RunOptions,
  { server, client, ...fixed }: Connected & Pick<Load, "prompts" | "calibrations" | "vectors">,
): LoadRecorder {
  const records: RequestRecord[] = [];
  const samples: Sample[] = [];
  const recorded = (record: RequestRecord) => {
    records.push(record);
    return record;
  };
  const load: Load = {
    ...fixed,
    clients: phase.clients,
    server: phase.side.kind,
    baseUrl: server.baseUrl,
    effort: settings.effort,
    contextSize: settings.contextSize,
    signal,
    complete: async (request, onChunks) => recorded(await client.complete(request, onChunks)),
    ask: async (dialect, request) => recorded(await client.ask(dialect, request)),
    post: async (path, members) => {
      const answer = await client.post(path, members);
      recorded(answer.record);
      return answer;
    },
    health: () => client.health(),
    memory: () => readServerMemory(server),
    proportionalMemory: () => readProportionalMemory(server),
    readyMs: () => {
      if (server.readyMs !== undefined) return server.readyMs;
      throw new InputError(`${server.baseUrl}: the start of an external server cannot be measured`);
    },
    processes: () => findServerProcesses(server),
    threadCpu: () => readThreadCpu(server),
    replicas: server.replicas ?? [],
    recordSample: (sample) => {
      samples.push(sample);
      onSample(sample, phase);
    },
  };
  return { load, records, samples };
}

/** Describes a server that has answered, for the results. */
function describeSide(label: string, { version, command, pid }: RunningServer): SideResult {
  const kernels = pid === undefined ? undefined : loadedKernels(pid);
  return { label, version, command, ...(kernels !== undefined && { kernels }) };
}

/** Performs one run. */
async function measure(scenario: Scenario, { load, records, samples }: LoadRecorder) {
  const cpuShare = startCpuShare();
  const values = await scenario.run(load);
  return {
    requests: records.length,
    errors: countErrors(records),
    clientCpuShare: cpuShare(),
    values: Object.fromEntries(
      Object.entries(values).filter(([, value]) => Number.isFinite(value)),
    ),
    samples,
  };
}

/**
 * Requests short answers for some seconds, so that weights are loaded and code is compiled before
 * the measurement. The scenario `startup` measures what a server has not compiled yet.
 */
async function warmUp(
  client: HttpClient,
  purpose: ModelPurpose,
  { prompts, label, effort }: Pick<Load, "prompts" | "effort"> & { readonly label: string },
): Promise<void> {
  const { clients, ms, answerTokens } = WARM_UP[effort];
  const endMs = performance.now() + ms;
  let asked = 0;
  const keepAsking = async () => {
    do {
      asked += 1;
      const content = prompts.text(`warm-up ${asked}`, WARM_UP_TOKENS);
      const { error } = await askOnce(client, purpose, content, answerTokens);
      if (error !== undefined) {
        throw new InputError(`${label}: the warm-up request failed: ${error}`);
      }
    } while (performance.now() < endMs && asked < WARM_ANSWERS[purpose]);
  };
  await Promise.all(Array.from({ length: clients }, keepAsking));
}

/** Vectors that all sides must answer alike, ggufd first. */
async function vectorsOf(
  { askVectors }: Scenario,
  sides: readonly Side[],
  signal: AbortSignal,
): Promise<Load["vectors"]> {
  if (askVectors === undefined) return [];
  const vectors: Load["vectors"][number][] = [];
  for (const side of sides) {
    vectors.push(
      await withClient(side, signal, ({ client }) =>
        askVectors((path, members) => client.post(path, members)),
      ),
    );
  }
  return vectors;
}

/**
 * Counts errors by reason. Refusals that differ only in numbers and ids share a reason, because
 * there may be thousands.
 */
function countErrors(records: readonly RequestRecord[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { error, refusal } of records) {
    if (error === undefined) continue;
    const reason = refusal === undefined ? error : withoutNumbers(error);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

/** Removes numbers from a reason, except for the status in `HTTP 503: …`. */
function withoutNumbers(reason: string): string {
  return reason.replace(/"request_id":.*/, "").replace(/(?<!^HTTP )\b\d+\b/g, "N");
}

/** Document that is long enough for any reranker. */
const DOCUMENT = "word";

/**
 * Sends one text to a model of any purpose, e.g. to count its tokens. Never rejects: failures are
 * part of the record.
 * @param maxTokens token limit of the answer, if the model generates one
 */
async function askOnce(
  client: Pick<HttpClient, "complete" | "post">,
  purpose: ModelPurpose,
  content: string,
  maxTokens: number,
): Promise<RequestRecord> {
  switch (purpose) {
    case "generate":
      return client.complete({ messages: [{ role: "user", content }], maxTokens });
    case "embed":
      return (await client.post("embeddings", { input: content })).record;
    case "rerank":
      return (await client.post("rerank", { query: content, documents: [DOCUMENT] })).record;
  }
}
