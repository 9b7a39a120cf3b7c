import { join } from "node:path";
import { ModelError } from "../model-error.js";
import {
  MANIFESTS,
  type Manifest,
  type ManifestFile,
  readManifest,
  writeManifest,
} from "../store/manifest.js";
import { readPulledModel } from "../store/own-models.js";
import type { StoredModel } from "../store/stored-model.js";
import type { PlannedFile, PullPlan } from "./pull-plan.js";
import { waitForLock } from "./wait-for-lock.js";

/** Properties of a finished file for the manifest. */
export type RecordedFile = Pick<ManifestFile, "sizeBytes" | "sha256">;

/** Plan whose files are all in place. */
export interface CompletedPlan {
  readonly plan: PullPlan;
  readonly recordedFiles: ReadonlyMap<string, RecordedFile>;
  /** Canonical name of the pulled source. */
  readonly source: string;
}

/**
 * Writes the manifest of a model whose files are all in place.
 * @param folder ggufd's model folder
 * @throws {ModelError} `storage`: a file was removed meanwhile
 */
export async function writeModelManifest(
  folder: string,
  completed: CompletedPlan,
  signal: AbortSignal,
): Promise<StoredModel> {
  const { manifestKey } = completed.plan;
  const path = join(folder, MANIFESTS, `${manifestKey}.json`);
  const { lock } = await waitForLock(`${path}.lock`, signal, () => undefined);
  try {
    const earlierManifest = await readManifest(path).catch(() => undefined);
    const manifest = buildManifest(completed, earlierManifest?.sources ?? []);
    const model = await readPulledModel(folder, { path, manifest });
    if ("reason" in model)
      throw new ModelError("storage", `${completed.plan.name}: ${model.reason}`);
    await writeManifest(folder, manifestKey, manifest);
    return model;
  } finally {
    await lock.release();
  }
}

function buildManifest(
  { plan, recordedFiles, source }: CompletedPlan,
  earlierSources: readonly string[],
): Manifest {
  const filesOf = (role: PlannedFile["role"]) =>
    plan.files.filter((file) => file.role === role).map((file) => entryOf(file, recordedFiles));
  const [first, ...others] = filesOf("model");
  const [projector] = filesOf("projector");
  if (first === undefined)
    throw new ModelError("invalid_answer", `${plan.name}: the model has no weights`);
  return {
    version: 1,
    name: plan.name,
    aliases: [...plan.aliases],
    sources: [...new Set([...earlierSources, source])],
    pulledAt: new Date().toISOString(),
    origin: originOf(plan, recordedFiles),
    files: [first, ...others],
    ...(projector !== undefined && { projector }),
    adapters: filesOf("adapter"),
  };
}

function originOf(
  { origin, files }: PullPlan,
  recordedFiles: CompletedPlan["recordedFiles"],
): Manifest["origin"] {
  if (origin.kind !== "ollama") return origin;
  const texts = files.flatMap((file) =>
    file.role === "text" ? [{ ...entryOf(file, recordedFiles), kind: file.kind }] : [],
  );
  return {
    ...origin,
    texts: texts.map(({ kind, path, sizeBytes }) => ({ kind, path, sizeBytes })),
  };
}

function entryOf(
  { path }: PlannedFile,
  recordedFiles: CompletedPlan["recordedFiles"],
): ManifestFile {
  const file = recordedFiles.get(path);
  if (file === undefined) throw new ModelError("storage", `${path}: the file was not downloaded`);
  return { path, ...file };
}
