import type { ChatRequest } from "../client/chat-request.js";
import type { HealthRecord } from "../client/http-client.js";
import type { RequestRecord } from "../client/request-record.js";
import type { PromptWriter } from "../prompts/prompt-writer.js";
import type { ServerMemory } from "../servers/process-memory.js";

/** Figures that mean something, or a quick look whether everything works. */
export type Effort = "full" | "quick";

/** Settings of a scenario that flags may change. */
export interface ScenarioDefaults {
  /** As `--model` takes it. */
  readonly model: string;
  /** Numbers of clients to measure, one after the other. */
  readonly clients: readonly number[];
  readonly slots: number;
  /** Tokens of one slot. */
  readonly contextSize: number;
}

/** One thing that a scenario measures. */
export interface Measure {
  readonly label: string;
  /** Empty for a plain number. */
  readonly unit: string;
  readonly better: "higher" | "lower";
}

/** What a measure should reach. */
export interface Target {
  readonly measure: string;
  /** Only there, or at every number of clients. */
  readonly clients?: number;
  /** Only with this model, as `--model` takes it. */
  readonly model?: string;
  /** The ratio of ours to the other side, or our own value. */
  readonly of: "ratio" | "ours";
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Whom ours is compared with: the peer, nobody, or itself with other flags. */
export type Comparison =
  | { readonly kind: "peer" }
  | { readonly kind: "alone" }
  | {
      readonly kind: "flags";
      readonly first: LabelledFlags;
      readonly second: LabelledFlags;
    };

export interface LabelledFlags {
  readonly label: string;
  readonly flags: readonly string[];
}

/** What was seen at one moment of a run: numbers by their names, units included. */
export type Sample = Readonly<Record<string, number>>;

/** A server under load, as a scenario sees it. */
export interface Load {
  readonly clients: number;
  readonly effort: Effort;
  /** The same texts for both sides, others for every run. */
  readonly prompts: PromptWriter;
  ask(request: ChatRequest, onFirstPiece?: () => void): Promise<RequestRecord>;
  health(): Promise<HealthRecord>;
  /** @throws {InputError} when the server runs elsewhere. */
  memory(): ServerMemory;
  /** Keeps a sample for the result. */
  note(sample: Sample): void;
}

/** One kind of traffic and what is measured under it. */
export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly comparison: Comparison;
  readonly defaults: Readonly<Record<Effort, ScenarioDefaults>>;
  readonly measures: Readonly<Record<string, Measure>>;
  readonly targets: readonly Target[];
  /** Makes the requests of one run and reduces what came of them; a value for each measure. */
  run(load: Load): Promise<Readonly<Record<string, number>>>;
}
