/**
 * `npm run bench -- SCENARIO... [FLAGS]`: prints a table for each scenario and writes the results as
 * JSON; `--help` lists scenarios and flags.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join } from "node:path";
import { InputError } from "../models/command-line/input-error.js";
import { runScript } from "../models/command-line/run-script.js";
import { formatReason } from "../src/core/format-reason.js";
import {
  type EngineOptions,
  helpText,
  parseCommandLine,
  type ScenarioOptions,
  type SchemasOptions,
  type TodosCommandOptions,
} from "./command-line.js";
import { benchEngine, formatEngineRows } from "./engine.js";
import {
  adapterFiles,
  type ModelSource,
  modelFile,
  parseModelSource,
  projectorFile,
} from "./model-source.js";
import { describeMachine, describeOrigin, type Origin } from "./origin.js";
import { resultsFolder } from "./result-files.js";
import { type Phase, runScenario } from "./run-scenario.js";
import { scenarios } from "./scenarios/index.js";
import type { ModelCounts, Sample, Scenario } from "./scenarios/scenario.js";
import { benchSchemas } from "./schemas/bench-schemas.js";
import { formatSchemas, summariseSchemas, withoutTimes } from "./schemas/schemas-table.js";
import type { SeveralModels } from "./servers/server.js";
import { sidesOf } from "./sides.js";
import { formatSample, formatShare, formatValue, measureName } from "./summary/format.js";
import {
  type ResultFile,
  type RunResult,
  resultName,
  type ScenarioResult,
} from "./summary/result-file.js";
import { formatResult } from "./summary/result-table.js";
import { runTodos } from "./todos/run-todos.js";
import { todoSides } from "./todos/todo-sides.js";
import type { TodosFile, TodosResult } from "./todos/todos-result.js";
import { formatTodos, summariseTodos, todosProgress } from "./todos/todos-table.js";
import { workloads } from "./todos/workloads/index.js";

/** Number of schemas between progress lines. */
const PROGRESS_EVERY = 200;

await runScript(async (args, signal) => {
  const command = parseCommandLine(args, scenarios);
  switch (command.kind) {
    case "help":
      console.log(helpText(scenarios));
      break;
    case "engine":
      await measureEngine(command.options, describeOrigin(args));
      break;
    case "todos":
      await measureTodos(command.options, describeOrigin(args), signal);
      break;
    case "schemas":
      await measureSchemas(command.options);
      break;
    case "scenarios":
      await measureScenarios(command.scenarios, command.options, {
        origin: describeOrigin(args),
        signal,
      });
  }
});

async function measureEngine(commandOptions: EngineOptions, origin: Origin): Promise<void> {
  const { model, threads, sequences, tokens, runs, layout, batchedBench } = commandOptions;
  const options = {
    modelPath: modelFile(parseModelSource(model, "generate")),
    threads: threads ?? availableParallelism(),
    sequences,
    generatedTokens: tokens,
    runs,
    layout,
    batchedBench,
  };
  const { rows, sides } = await benchEngine(options);
  console.log(formatEngineRows(rows));
  const result = { date: new Date(), machine: describeMachine(), origin, options, sides, rows };
  const path = join(resultsFolder, "engine.json");
  writeJson(path, result);
  console.error(`written: ${path}`);
}

/** The file is written after each run, so that a failing run loses no earlier results. */
async function measureTodos(
  commandOptions: TodosCommandOptions,
  origin: Origin,
  signal: AbortSignal,
): Promise<void> {
  const { json, ...options } = commandOptions;
  const path = json ?? join(resultsFolder, "todos.json");
  const about = {
    kind: "todos",
    date: new Date().toISOString(),
    machine: describeMachine(),
    origin,
  } as const;
  const save = (result: TodosResult) =>
    writeJson(path, { ...about, ...result } satisfies TodosFile);
  save({ options, sides: [], runs: [] });
  const result = await runTodos({
    options,
    workloads,
    sides: todoSides,
    signal,
    onRun: (run, partialResult) => {
      console.error(todosProgress(run, workloads, options));
      save(partialResult);
    },
  });
  console.log(formatTodos(result, summariseTodos(result, workloads)));
  console.error(`written: ${path}`);
}

async function measureSchemas(options: SchemasOptions): Promise<void> {
  const path = options.json ?? join(resultsFolder, "schemas.json");
  const results = await benchSchemas(options, (done) => {
    if (done % PROGRESS_EVERY === 0) console.error(`${done} schemas`);
  });
  console.log(formatSchemas(results));
  const about = { kind: "schemas", date: new Date().toISOString(), machine: describeMachine() };
  const summary = summariseSchemas(results);
  writeJson(path, { ...about, options, summary, results: results.map(withoutTimes) });
  console.error(`written: ${path}`);
}

/** Results are written after each scenario, so that a failing one loses no earlier results. */
async function measureScenarios(
  selected: readonly Scenario[],
  options: ScenarioOptions,
  { origin, signal }: { readonly origin: Origin; readonly signal: AbortSignal },
): Promise<void> {
  const seed = options.seed ?? new Date().toISOString();
  const results: ScenarioResult[] = [];
  // Fail before measuring if the file is not writable.
  if (options.json !== undefined) writeJson(options.json, toFile(results, origin));
  for (const scenario of selected) {
    const result = await measure(scenario, { ...options, seed }, signal);
    console.log(`${formatResult(result)}\n`);
    results.push(result);
    const path = options.json ?? join(resultsFolder, `${resultName(result)}.json`);
    writeJson(path, toFile(options.json === undefined ? [result] : results, origin));
    console.error(`written: ${path}`);
  }
}

function measure(
  scenario: Scenario,
  options: ScenarioOptions & { readonly seed: string },
  signal: AbortSignal,
): Promise<ScenarioResult> {
  const { runs, seed, effort } = options;
  const defaults = scenario.defaults[effort];
  const model = options.model ?? defaults.model;
  const { purpose = "generate", adapters = 0, hasProjector = false } = scenario;
  const source = parseModelSource(model, purpose);
  const several = scenario.models && buildSeveralModels(source, scenario.models);
  const settings = {
    model: basename(model),
    slots: options.slots ?? defaults.slots,
    contextSize: options.contextSize ?? defaults.contextSize,
    threads: options.threads ?? availableParallelism(),
    clients: options.clients ?? defaults.clients,
    runs,
    seed,
    effort,
  };
  const files = {
    modelPath: modelFile(source),
    adapterPaths: adapterFiles(source, adapters),
    ...(hasProjector && { projectorPath: projectorFile(source) }),
  };
  const server = { ...settings, ...files, purpose, ...(several !== undefined && { several }) };
  const sides = sidesOf(scenario.comparison, server, options);
  const onRun = (run: RunResult) => console.error(progressLine(scenario, run, runs));
  const onSample = (sample: Sample, phase: Phase) =>
    console.error(
      `${phaseName(scenario, { ...phase, side: phase.side.label }, runs)}: ${formatSample(sample)}`,
    );
  return runScenario(scenario, { settings, sides, signal, onRun, onSample });
}

/** Names several models `a`, `b` and so on; a model file is used under every name. */
function buildSeveralModels(source: ModelSource, { all, fitting }: ModelCounts): SeveralModels {
  const files = Array.from({ length: all }, (_, index) => ({
    name: String.fromCharCode("a".charCodeAt(0) + index),
    path: modelFile(source, index + 1),
  }));
  return { files, fitting };
}

/**
 * Progress line: `decode, clients 8, run 1 of 3, ggufd: output 412 tok/s, …; client 2 % of a core`
 */
function progressLine(scenario: Scenario, run: RunResult, runs: number): string {
  // Per-subject measures were already printed as samples.
  const values = Object.entries(scenario.measures)
    .filter(([, { subject }]) => subject === undefined)
    .map(
      ([name, measure]) =>
        `${measureName(measure)} ${formatValue(run.values[name] ?? Number.NaN)} ${measure.unit}`,
    );
  const where = phaseName(scenario, run, runs);
  const cpu = `client ${formatShare(run.clientCpuShare)} of a core`;
  return `${where}: ${values.map((value) => value.trim()).join(", ")}; ${cpu}`;
}

/** Name of a phase: `decode, clients 8, run 1 of 3, ggufd` */
function phaseName(
  { name }: Scenario,
  { clients, run, side }: Omit<Phase, "side"> & Pick<RunResult, "side">,
  runs: number,
): string {
  const phase = run === "calibration" ? run : `run ${run} of ${runs}`;
  return `${name}, clients ${clients}, ${phase}, ${side}`;
}

function toFile(results: readonly ScenarioResult[], origin: Origin): ResultFile {
  return { format: 1, date: new Date().toISOString(), machine: describeMachine(), origin, results };
}

function writeJson(path: string, result: object): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  } catch (error) {
    throw new InputError(`${path}: expected a writable file: ${formatReason(error)}`);
  }
}
