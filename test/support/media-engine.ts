import type { ProjectorName } from "../../models/random/projector-shapes.js";
import type { Engine } from "../../src/core/engine.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import type { MediaLimits } from "../../src/media/media-reader.js";
import { openEngine } from "./generate.js";
import { modelWithProjector } from "./random-models.js";
import { type RunningApp, runApp } from "./running-app.js";

/** Limits of requests, for small files. */
const limits: MediaLimits = { files: 16, fileBytes: 2 ** 20, totalBytes: 2 ** 22 };

const usualProjector = {
  placement: "cpu",
  maxPixels: 1e6,
  maxSeconds: 60,
  decodeSeconds: 5,
  cacheMiB: 4,
} as const;

type Projector = NonNullable<EngineSettings["projector"]>;

/** An engine with a random model and its projector. */
export function openMediaEngine(
  shape: ProjectorName,
  settings: Partial<EngineSettings> = {},
  projecting: Partial<Projector> = {},
): Promise<Engine> {
  const { model, projector: path } = modelWithProjector(shape);
  return openEngine(model, {
    kvCacheTypes: { keys: "f32", values: "f32" },
    speculation: "off",
    projector: { ...usualProjector, path, ...projecting },
    ...settings,
  });
}

/** A server with it. */
export async function serveMedia(
  shape: ProjectorName,
  settings: Partial<EngineSettings> = {},
  projecting: Partial<Projector> = {},
): Promise<RunningApp> {
  return runApp(await openMediaEngine(shape, settings, projecting), { mediaLimits: limits });
}
