import { formatReason } from "../core/format-reason.js";
import { DraftModel } from "./drafts/draft-model.js";
import type { Drafter } from "./drafts/drafter.js";
import { Speculator } from "./drafts/speculator.js";
import { StateDrafter } from "./drafts/state-drafter.js";
import type { EngineHooks, EngineSettings } from "./engine-settings.js";
import type { LoadedDrafting } from "./loading/loaded-drafting.js";
import type { LoadedModels } from "./loading/loaded-models.js";
import { computeStreamBytes } from "./memory/memory-plan.js";
import { NativeContext } from "./native/native-context.js";
import type { StateDrafting } from "./native/state-drafts.js";

/** Returns the drafter that uses the main model's hidden states, if there is one. */
export function stateDraftingOf(drafting: LoadedDrafting): StateDrafting | undefined {
  return drafting.kind === "mtp" || drafting.kind === "eagle3" ? drafting : undefined;
}

/**
 * Opens the context of a draft model, with as many threads as the main model; `undefined`: no draft
 * model is configured.
 */
export function openDraftContext({
  drafting,
  plan,
  companion,
}: LoadedModels): NativeContext | undefined {
  if (drafting.kind !== "model" || plan.draft === undefined) return undefined;
  const cache = { layout: "split", streamBytes: computeStreamBytes(plan.draft) } as const;
  return new NativeContext(drafting.context, cache, companion);
}

/** Creates the drafter; `undefined`: there is none. */
export function openDrafter(
  { plan }: LoadedModels,
  { stateDrafts, batchSize }: NativeContext,
  draftContext: NativeContext | undefined,
): Drafter | undefined {
  if (stateDrafts !== undefined) {
    const contextSize = plan.maxRequestTokens;
    return new StateDrafter({ drafts: stateDrafts, contextSize, batchSize });
  }
  if (draftContext === undefined || plan.draft === undefined) return undefined;
  return new DraftModel({ context: draftContext, contextSize: plan.draft.contextSize });
}

interface SpeculatorParts {
  readonly settings: EngineSettings;
  readonly hooks: EngineHooks;
  readonly context: NativeContext;
  readonly drafter: Drafter | undefined;
}

/** Creates the speculator; `undefined`: speculative decoding is off. */
export function createSpeculator(parts: SpeculatorParts): Speculator | undefined {
  const { settings, hooks, context, drafter } = parts;
  if (settings.speculation === "off") return undefined;
  return new Speculator({
    batchSize: context.batchSize,
    maxOutputs: context.maxOutputs,
    retraction: context.retraction,
    drafter,
    onDrafterFailed: (error) =>
      hooks.log("warn", `drafting failed and is disabled: ${formatReason(error)}`),
    itlTargetMs: settings.itlTargetMs,
    now: () => performance.now(),
  });
}
