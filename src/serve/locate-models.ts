import { modelSpecsOf } from "../config/configured-models.js";
import { inFile, type ModelSpec } from "../config/model-spec.js";
import type { Config } from "../config/settings.js";
import { StartupError } from "../core/startup-error.js";
import { ModelError } from "../models/model-error.js";
import { modelPlaces } from "../models/store/model-places.js";
import { ModelStore } from "../models/store/model-store.js";

/**
 * The configured models, with the files that this machine has of those that are given by a name.
 * @throws {StartupError} a name that no model here has, or several
 */
export async function locatedModels(config: Config): Promise<readonly ModelSpec[]> {
  const specs = modelSpecsOf(config);
  const store = new ModelStore(modelPlaces(process.env, config.modelsDir));
  return Promise.all(specs.map((spec) => located(spec, store)));
}

async function located(spec: ModelSpec, store: ModelStore): Promise<ModelSpec> {
  const { file } = spec;
  if (file.kind === "file") return spec;
  try {
    const { files } = await store.find(file.name);
    return inFile(spec, files[0].path);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const advice = error.code === "not_found" ? `; ggufd pull ${file.name} downloads it` : "";
    throw new StartupError(`${file.role}: ${error.message}${advice}`, error);
  }
}
