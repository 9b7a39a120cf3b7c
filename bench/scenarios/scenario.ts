import type { ChatRequest } from "../client/chat-request.js";
import type { Dialect } from "../client/dialects/dialect.js";
import type { HealthRecord } from "../client/http-client.js";
import type { JsonAnswer } from "../client/json-answer.js";
import type { RequestRecord } from "../client/request-record.js";
import type { ModelPurpose } from "../model-purpose.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import type { ServerMemory } from "../servers/process-memory.js";
import type { Replica, ServerKind } from "../servers/server.js";
import type { ServerProcesses } from "../servers/server-processes.js";
import type { ThreadCpuMs } from "../servers/thread-cpu.js";

/** A full measurement, or a quick smoke test. */
export type Effort = "full" | "quick";

/** Settings of a scenario that flags can override. */
export interface ScenarioDefaults {
  /** In the form of `--model`. */
  readonly model: string;
  /** Client counts to measure, one after the other. */
  readonly clients: readonly number[];
  readonly slots: number;
  /** Tokens per slot. */
  readonly contextSize: number;
}

/** One quantity that a scenario measures. */
export interface Measure {
  readonly label: string;
  /** The kind of request that it is about, where a scenario measures several alike. */
  readonly subject?: string;
  /** Empty for a dimensionless number. */
  readonly unit: string;
  readonly better: "higher" | "lower";
}

/** The target value of a measure. */
export interface Target {
  readonly measure: string;
  /** Limits the target to one number of clients. */
  readonly clients?: number;
  /** Limits the target to one model, in the form of `--model`. */
  readonly model?: string;
  /** Our value divided by the other side's, or our own value. */
  readonly of: "ratio" | "ours";
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** What ggufd is compared with. */
export type Comparison =
  | { readonly kind: "peer" /** Of ggufd. */; readonly flags?: readonly string[] }
  | {
      readonly kind: "alone";
      readonly flags?: readonly string[];
      /** Of Node.js. */
      readonly nodeFlags?: readonly string[];
    }
  /** ggufd alone, twice behind HAProxy. */
  | { readonly kind: "balanced" };

/** Values sampled at one moment of a run, by name and unit; texts name what was sampled. */
export type Sample = Readonly<Record<string, number | string>>;

/** What a scenario measured on one side before the runs, by name and unit. */
export type Calibration = Readonly<Record<string, number>>;

/** How values of a scenario's samples depend on another one of them, for the report's chart. */
export interface Curve {
  /** What the lines show, with its unit. */
  readonly label: string;
  /** The sampled value on the horizontal axis. */
  readonly over: string;
  /** The sampled values that have a line each. */
  readonly lines: readonly string[];
  /** A value that decides, drawn as a horizontal line; absent where none does. */
  readonly mark?: number;
}

/** A scenario's access to the server under load. */
export interface Load {
  readonly clients: number;
  /** For requests that servers understand differently. */
  readonly server: ServerKind;
  /** Of the server, including `/v1`. */
  readonly baseUrl: string;
  readonly effort: Effort;
  /** How long it is to last; `undefined`: as long as the scenario lasts by itself. */
  readonly seconds: number | undefined;
  /** Names of the server's models, in its order. */
  readonly models: readonly string[];
  /** Tokens per slot. */
  readonly contextSize: number;
  /** Aborted when the benchmark is interrupted. */
  readonly signal: AbortSignal;
  /** What `calibrate` returned on each side, ours first: the same in all runs. */
  readonly calibrations: readonly Calibration[];
  /** What `askVectors` returned on each side, ours first: the same in all runs. */
  readonly vectors: readonly (readonly (readonly number[])[])[];
  /** The same prompts for both sides, different ones for every run. */
  readonly prompts: PromptWriter;
  /**
   * Requests a chat completion.
   * @param onChunks called whenever chunks with text have come
   */
  complete(request: ChatRequest, onChunks?: () => void): Promise<RequestRecord>;
  /** Requests an answer in a dialect. */
  ask(dialect: Dialect, request: ChatRequest): Promise<RequestRecord>;
  /**
   * Posts JSON that is answered at once.
   * @param path relative to `/v1/`.
   * @param members the body, without the model.
   */
  post(path: string, members: object): Promise<JsonAnswer>;
  health(): Promise<HealthRecord>;
  /** @throws {InputError} when the server was not started by the benchmark. */
  memory(): ServerMemory;
  /** @throws {InputError} when the server was not started by the benchmark. */
  processes(): ServerProcesses;
  /** See {@link readThreadCpu}. */
  threadCpu(): ThreadCpuMs | undefined;
  /** The daemons behind a balancer; empty where there is none. */
  readonly replicas: readonly Replica[];
  /** Adds a sample to the run's result. */
  recordSample(sample: Sample): void;
}

/** How many models a server has, and how many of them fit into its memory. */
export interface ModelCounts {
  readonly all: number;
  readonly fitting: number;
}

/** One traffic pattern and its measures. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  /**
   * What its models compute.
   * @default "generate"
   */
  readonly purpose?: ModelPurpose;
  /** Of how many models as many as `fitting` may be loaded at once. They have the same sizes, and weights of their own. @default one, which is */
  readonly models?: ModelCounts;
  readonly comparison: Comparison;
  /** How many LoRA adapters the servers have, for its model with random weights; absent: none. */
  readonly adapters?: number;
  /** Whether the servers have the projector of images that goes with its model. @default false */
  readonly hasProjector?: boolean;
  readonly defaults: Readonly<Record<Effort, ScenarioDefaults>>;
  readonly measures: Readonly<Record<string, Measure>>;
  readonly targets: readonly Target[];
  readonly curve?: Curve;
  /**
   * Asks for what all sides must answer alike. Called once on each side, before the runs.
   * @throws {InputError} when it is not answered.
   */
  askVectors?(post: Load["post"]): Promise<readonly (readonly number[])[]>;
  /**
   * Measures what the runs have to know of all sides, e.g. to send the same load to each of them.
   * Called once on each side, before the runs.
   */
  calibrate?(load: Load): Promise<Calibration>;
  /** Sends the requests of one run and returns a value for each measure. */
  run(load: Load): Promise<Readonly<Record<string, number>>>;
}
