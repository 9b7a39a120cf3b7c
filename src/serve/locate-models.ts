import { buildModelSpecs, rejectUnusableNames } from "../config/configured-models.js";
import { nameOf, parseModelReference } from "../config/model-reference.js";
import { type ModelSpec, withFile } from "../config/model-spec.js";
import type { Config } from "../config/settings.js";
import { withSourceFiles, withSourceTexts } from "../config/stored-spec.js";
import { StartupError } from "../core/startup-error.js";
import { ModelError } from "../models/model-error.js";
import { resolveModelPlaces } from "../models/store/model-folders.js";
import { ModelStore } from "../models/store/model-store.js";
import { readOllamaTexts } from "../models/store/ollama-texts.js";
import { textsOf } from "../models/store/stored-model.js";

/**
 * Returns the configured models, with models that are given by name resolved to this machine's
 * files.
 * @throws {StartupError} for a name that matches no model here, or several
 */
export async function locateModels(config: Config): Promise<readonly ModelSpec[]> {
  const presets = new Set(config.presets.map(({ name }) => name));
  const store = new ModelStore(resolveModelPlaces(process.env, config.modelsDir));
  const specs = await Promise.all(
    buildModelSpecs(config).map((spec) =>
      locateModel(spec, { store, isNamed: presets.has(spec.alias) || isAlias(spec) }),
    ),
  );
  rejectUnusableNames(specs);
  return specs;
}

/** Whether a model was given a name other than that of its file. */
function isAlias({ alias, file }: ModelSpec): boolean {
  return alias !== nameOf(file);
}

interface LocateOptions {
  readonly store: ModelStore;
  /** Whether the name in the API was chosen by the operator; otherwise the store's name is used. */
  readonly isNamed: boolean;
}

async function locateModel(
  configuredSpec: ModelSpec,
  { store, isNamed }: LocateOptions,
): Promise<ModelSpec> {
  const spec = await withLocatedDraft(await withLocatedAdapters(configuredSpec, store), store);
  const { file } = spec;
  if (file.kind === "file") return spec;
  return lookUpInStore(file, async () => {
    const stored = await store.find(file.name);
    const locatedSpec = withFile(
      isNamed ? spec : { ...spec, alias: stored.name },
      stored.files[0].path,
    );
    return withSourceTexts(
      withSourceFiles(locatedSpec, stored),
      await readOllamaTexts(textsOf(stored)),
    );
  });
}

/** Resolves the adapters that are given by name to files. */
async function withLocatedAdapters(spec: ModelSpec, store: ModelStore): Promise<ModelSpec> {
  if (spec.kind !== "generation") return spec;
  const adapters = await Promise.all(
    spec.adapters.map(async (adapter) => ({
      ...adapter,
      path: await locateFile({ role: "lora", path: adapter.path }, store),
    })),
  );
  return { ...spec, adapters };
}

/** Resolves a draft model that is given by name to its file. */
async function withLocatedDraft(spec: ModelSpec, store: ModelStore): Promise<ModelSpec> {
  if (spec.kind !== "generation" || typeof spec.draft === "string") return spec;
  return { ...spec, draft: { ...spec.draft, path: await locateFile(spec.draft, store) } };
}

/** Returns the path of a file that belongs to a model and may be given by name. */
async function locateFile(
  { role, path }: { readonly role: string; readonly path: string },
  store: ModelStore,
): Promise<string> {
  const reference = parseModelReference(path);
  if (reference.kind === "file") return path;
  const { name } = reference;
  return lookUpInStore({ role, name }, async () => (await store.find(name)).files[0].path);
}

/**
 * Runs a lookup in the store.
 * @throws {StartupError} if the name matches no model of the store, or several
 */
async function lookUpInStore<Located>(
  { role, name }: { readonly role: string; readonly name: string },
  locate: () => Promise<Located>,
): Promise<Located> {
  try {
    return await locate();
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const advice = error.code === "not_found" ? `; ggufd pull ${name} downloads it` : "";
    throw new StartupError(`${role}: ${error.message}${advice}`, error);
  }
}
