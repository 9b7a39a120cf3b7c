import type { GenerationDefaults } from "../core/generation-request.js";
import type { StateStoreSettings } from "./cache/open-stores.js";
import type { ModelHooks, ModelSettings } from "./loading/loaded-models.js";
import type { DeviceSampling } from "./native/native-context.js";
import type { PromptSettings } from "./prompt-preparer.js";
import type { StepReport } from "./step/step-report.js";
import type { ThreadSettings } from "./threads/choose-threads.js";

/** Settings of an engine. Plain data: it may cross a process boundary. */
export interface EngineSettings
  extends ModelSettings,
    PromptSettings,
    ThreadSettings,
    StateStoreSettings {
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  /** `auto`: drafts are proposed and verified where that is expected to pay. */
  readonly speculation: "auto" | "off";
  readonly deviceSampling: DeviceSampling;
  /** Folder for states of slots that are saved by name; `undefined`: they cannot be saved. */
  readonly slotSavePath: string | undefined;
  /** Defaults of requests; they take precedence over the model file's recommendations. */
  readonly defaults: GenerationDefaults;
  /** Consequence of an adapter that cannot be loaded at the start. */
  readonly failingAdapters: "end-the-start" | "are-left-out";
  /** Seed of requests without one; `undefined`: a random one for each. */
  readonly seed: number | undefined;
  /** Version of the server, part of the fingerprint. */
  readonly version: string;
}

/** Receives what happens inside an engine. */
export interface EngineHooks extends ModelHooks {
  /** Called after each step, when all its events have been emitted. */
  readonly onStepEnd: (report: StepReport) => void;
}
