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

/** Full measurement, or quick smoke test. */
export type Effort = "full" | "quick";

/** Settings of a scenario that flags can override. */
export interface ScenarioDefaults {
  /** Model in the form of `--model`. */
  readonly model: string;
  /** Client counts to measure, one after the other. */
  readonly clients: readonly number[];
  readonly slots: number;
  /** Tokens per slot. */
  readonly contextSize: number;
}

/** Quantity that a scenario measures. */
export interface Measure {
  readonly label: string;
  /** Kind of request that the measure concerns, if a scenario measures several kinds. */
  readonly subject?: string;
  /** Empty for a dimensionless number. */
  readonly unit: string;
  readonly better: "higher" | "lower";
}

/** Target value of a measure. */
export interface Target {
  readonly measure: string;
  /** Limits the target to one number of clients. */
  readonly clients?: number;
  /** Limits the target to one model, in the form of `--model`. */
  readonly model?: string;
  /** Value compared with the target: ggufd's value divided by the compared server's, or ggufd's value. */
  readonly of: "ratio" | "ours";
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Comparison of a scenario. */
export type Comparison =
  | { readonly kind: "peer" /** Flags of ggufd. */; readonly flags?: readonly string[] }
  | {
      readonly kind: "alone";
      readonly flags?: readonly string[];
      /** Flags of Node.js. */
      readonly nodeFlags?: readonly string[];
    }
  /** ggufd with replicas, and with one engine of the same slots and threads in total. */
  | { readonly kind: "replicas"; readonly count: number }
  /** ggufd with two sets of flags. */
  | {
      readonly kind: "flags";
      /** Name in tables of the daemon with `otherFlags`. */
      readonly label: string;
      readonly flags: readonly string[];
      readonly otherFlags: readonly string[];
    }
  /** Two ggufd daemons behind HAProxy, compared with no other server. */
  | { readonly kind: "balanced" };

/** Values sampled at one moment of a run, by name and unit; texts name the sampled subject. */
export type Sample = Readonly<Record<string, number | string>>;

/** Values measured on one side before the runs, by name and unit. */
export type Calibration = Readonly<Record<string, number>>;

/** Dependency of sampled values on another sampled value, for the report's chart. */
export interface Curve {
  /** Label of the vertical axis, with its unit. */
  readonly label: string;
  /** Sampled value on the horizontal axis. */
  readonly over: string;
  /** Sampled values that are drawn as lines. */
  readonly lines: readonly string[];
  /** Threshold drawn as a horizontal line; absent: none. */
  readonly mark?: number;
}

/** Access of a scenario to the server under load. */
export interface Load {
  readonly clients: number;
  /** Kind of server, for requests that servers interpret differently. */
  readonly server: ServerKind;
  /** Base URL of the server, including `/v1`. */
  readonly baseUrl: string;
  readonly effort: Effort;
  /** Names of the server's models, in its order. */
  readonly models: readonly string[];
  /** Tokens per slot. */
  readonly contextSize: number;
  /** Aborted when the benchmark is interrupted. */
  readonly signal: AbortSignal;
  /** Results of `calibrate` on each side, ggufd first; the same in all runs. */
  readonly calibrations: readonly Calibration[];
  /** Results of `askVectors` on each side, ggufd first; the same in all runs. */
  readonly vectors: readonly (readonly (readonly number[])[])[];
  /** Generator of prompts, which are the same for both sides and differ in every run. */
  readonly prompts: PromptWriter;
  /**
   * Requests a chat completion.
   * @param onChunks called whenever chunks with text have arrived
   */
  complete(request: ChatRequest, onChunks?: () => void): Promise<RequestRecord>;
  /** Requests an answer in a dialect. */
  ask(dialect: Dialect, request: ChatRequest): Promise<RequestRecord>;
  /**
   * Posts JSON to a route without streaming.
   * @param path relative to `/v1/`
   * @param members the body, without the model
   */
  post(path: string, members: object): Promise<JsonAnswer>;
  health(): Promise<HealthRecord>;
  /** @throws {InputError} if the server was not started by the benchmark */
  memory(): ServerMemory;
  /**
   * Memory of all processes of the server, in bytes: shared pages count in proportion (PSS).
   * @throws {InputError} if the server was not started by the benchmark
   */
  proportionalMemory(): number;
  /**
   * Time from the start of the server until `/health` returned 200, in milliseconds.
   * @throws {InputError} if the server was not started by the benchmark
   */
  readyMs(): number;
  /** @throws {InputError} if the server was not started by the benchmark */
  processes(): ServerProcesses;
  /** See {@link readThreadCpu}. */
  threadCpu(): ThreadCpuMs | undefined;
  /** Daemons behind a load balancer; empty if there is none. */
  readonly replicas: readonly Replica[];
  /** Adds a sample to the run's result. */
  recordSample(sample: Sample): void;
}

/** Number of models of a server, and how many of them fit into its memory. */
export interface ModelCounts {
  readonly all: number;
  readonly fitting: number;
}

/** Traffic pattern and its measures. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  /**
   * Purpose of the scenario's models.
   * @default "generate"
   */
  readonly purpose?: ModelPurpose;
  /**
   * Number of models, and how many of them may be loaded at once. Models have the same sizes and
   * different weights.
   * @default one model, which fits
   */
  readonly models?: ModelCounts;
  readonly comparison: Comparison;
  /**
   * Whether the first request of a run is the first that its server gets, without a warm-up request.
   * @default false
   */
  readonly startsCold?: boolean;
  /** Number of LoRA adapters of the servers, for a model with random weights; absent: none. */
  readonly adapters?: number;
  /**
   * Whether the servers have the model's image projector.
   * @default false
   */
  readonly hasProjector?: boolean;
  readonly defaults: Readonly<Record<Effort, ScenarioDefaults>>;
  readonly measures: Readonly<Record<string, Measure>>;
  readonly targets: readonly Target[];
  readonly curve?: Curve;
  /**
   * Requests the vectors that all sides must answer alike. Called once on each side, before the
   * runs.
   * @throws {InputError} if a request fails
   */
  askVectors?(post: Load["post"]): Promise<readonly (readonly number[])[]>;
  /**
   * Measures values that the runs need from all sides, e.g. to send the same load to each of them.
   * Called once on each side, before the runs.
   */
  calibrate?(load: Load): Promise<Calibration>;
  /** Sends the requests of one run and returns a value for each measure. */
  run(load: Load): Promise<Readonly<Record<string, number>>>;
}
