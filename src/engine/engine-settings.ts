import type { GenerationDefaults } from "../core/generation-request.js";
import type { StateStoreSettings } from "./cache/open-stores.js";
import type { ModelHooks, ModelSettings } from "./loading/loaded-models.js";
import type { DeviceSampling } from "./native/native-context.js";
import type { PromptSettings } from "./prompt-preparer.js";
import type { StepReport } from "./step/step-report.js";
import type { ThreadSettings } from "./threads/choose-threads.js";

/** Settings of an engine. Plain data: they may cross a process boundary. */
export interface EngineSettings
  extends ModelSettings,
    PromptSettings,
    ThreadSettings,
    StateStoreSettings {
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  /** `auto`: uses drafts where they are expected to be faster. */
  readonly speculation: "auto" | "off";
  readonly deviceSampling: DeviceSampling;
  /** Folder for slot states saved by name; `undefined`: slots cannot be saved. */
  readonly slotSavePath: string | undefined;
  /**
   * Defaults for omitted request parameters; they take precedence over the recommendations of the
   * model's file.
   */
  readonly defaults: GenerationDefaults;
  /** Whether an adapter that cannot be loaded prevents the start. */
  readonly failingAdapters: "end-the-start" | "are-left-out";
  /** Seed of requests without one; `undefined`: random for each request. */
  readonly seed: number | undefined;
  /** Numbers of the cores that the engine's process is restricted to; absent: all. */
  readonly cores?: readonly number[];
  /** Version of the server, part of the fingerprint. */
  readonly version: string;
}

/** Callbacks of an engine. */
export interface EngineHooks extends ModelHooks {
  /** Called after each step, when all its events have been emitted. */
  readonly onStepEnd: (report: StepReport) => void;
}
