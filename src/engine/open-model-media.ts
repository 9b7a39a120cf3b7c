import assert from "node:assert/strict";
import type { EngineHooks, EngineSettings } from "./engine-settings.js";
import type { LoadedModels } from "./loading/loaded-models.js";
import type { MediaDecoder } from "./media/media-decoder.js";
import type { RunAlongsideSteps } from "./media/media-library.js";
import { type OpenedMedia, openMedia } from "./media/open-media.js";
import type { NativeContext } from "./native/native-context.js";
import { openProjector } from "./native/open-projector.js";

export interface MediaParts {
  readonly decoder: MediaDecoder | undefined;
  /** Number of encoding threads. */
  readonly threads: number;
  readonly beside: RunAlongsideSteps;
  readonly log: EngineHooks["log"];
  readonly context: NativeContext;
}

/**
 * Opens the projector of a model; `undefined`: the model has none.
 * @throws {StartupError} names the projector's file and the reason
 */
export async function openModelMedia(
  { model, companion }: LoadedModels,
  { projector }: EngineSettings,
  { threads, beside, context, decoder, log }: MediaParts,
): Promise<OpenedMedia | undefined> {
  if (projector === undefined) return undefined;
  assert(decoder !== undefined, "a projector needs a decoder");
  const { path, placement } = projector;
  const opened = await openProjector(model, companion, { path, placement, threads, log });
  return openMedia({
    ...projector,
    decoder,
    beside,
    projector: opened,
    maxCellsAtOnce: context.batchSize,
  });
}
