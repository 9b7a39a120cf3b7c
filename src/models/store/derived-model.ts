import { createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isBelow } from "../../files/below-folder.js";
import { createFolder, replaceDurably } from "../../files/durable-file.js";
import { FileLock, LockHeldError } from "../../files/file-lock.js";
import { nodeFileSystem } from "../../files/file-system.js";
import { preview } from "../../validation/preview.js";
import { ModelError } from "../model-error.js";
import { MANIFESTS, type Manifest, readManifest, writeManifest } from "./manifest.js";
import type { OllamaTexts } from "./ollama-texts.js";
import { readPulledModel, toRelativePath } from "./own-models.js";
import type { OllamaText, StoredFile, StoredModel } from "./stored-model.js";

/** Subfolder of derived models, both in ggufd's folder and in its manifest folder. */
const MADE = "made";

/** Names permitted by Ollama: `name`, `user/name`, with an optional tag after `:`. */
const MODEL_NAME = /^\w[\w.-]{0,79}(?:\/\w[\w.-]{0,79}){0,2}(?::\w[\w.-]{0,79})?$/;
const DEFAULT_TAG = ":latest";

/**
 * Normalises the name of a derived model: removes the default tag.
 * @throws {ModelError} `invalid_name`
 */
export function normaliseDerivedName(name: string): string {
  if (!MODEL_NAME.test(name) || /\.gguf$/i.test(name) || name.split("/").includes("..")) {
    throw new ModelError(
      "invalid_name",
      `${preview(name)}: expected a name such as my-model, team/my-model or my-model:tag`,
    );
  }
  return name.endsWith(DEFAULT_TAG) ? name.slice(0, -DEFAULT_TAG.length) : name;
}

/** Derived model: the weights of another model with separate texts. */
export interface DerivedModel {
  /** See {@link normaliseDerivedName}. */
  readonly name: string;
  readonly from: StoredModel;
  readonly texts: OllamaTexts;
}

/**
 * Records a derived model, replacing an earlier one of the same name. The weights stay where they
 * are.
 * @param folder ggufd's model folder
 * @throws {ModelError} `in_use`, `storage`
 */
export async function writeDerivedModel(
  folder: string,
  { name, from, texts }: DerivedModel,
): Promise<StoredModel> {
  const manifestKey = join(MADE, encodeURIComponent(name));
  const path = join(folder, MANIFESTS, `${manifestKey}.json`);
  await createFolder(nodeFileSystem, dirname(path));
  const lock = await FileLock.acquire(`${path}.lock`).catch((error: unknown) => {
    if (!(error instanceof LockHeldError)) throw error;
    throw new ModelError("in_use", `${name}: the model is being created, ${error.message}`, error);
  });
  try {
    const earlierManifest = await readManifest(path).catch(() => undefined);
    const writtenTexts = await writeTexts(folder, manifestKey, texts);
    const [first, ...others] = from.files.map((file) => entryOf(folder, file));
    if (first === undefined)
      throw new ModelError("storage", `${from.name}: the model has no files`);
    const manifest: Manifest = {
      version: 1,
      name,
      aliases: name.includes(":") ? [] : [`${name}${DEFAULT_TAG}`],
      sources: [],
      pulledAt: new Date().toISOString(),
      origin: { kind: "made", from: from.name, texts: [...writtenTexts] },
      files: [first, ...others],
      ...(from.projector !== undefined && { projector: entryOf(folder, from.projector) }),
      adapters: from.adapters.map((file) => entryOf(folder, file)),
    };
    const model = await readPulledModel(folder, { path, manifest });
    if ("reason" in model) throw new ModelError("storage", `${name}: ${model.reason}`);
    await writeManifest(folder, manifestKey, manifest);
    if (earlierManifest?.origin.kind === "made")
      await removeTexts(folder, earlierManifest.origin.texts, writtenTexts);
    return model;
  } finally {
    await lock.release();
  }
}

/**
 * Writes texts to files named by their content, so that the earlier model stays intact until its
 * manifest is replaced.
 */
async function writeTexts(
  folder: string,
  place: string,
  { template, system, parameters, messages, licenses }: OllamaTexts,
): Promise<readonly OllamaText[]> {
  const contents: readonly (readonly [OllamaText["kind"], string])[] = [
    ...(template === undefined ? [] : [["template", template] as const]),
    ...(system === undefined ? [] : [["system", system] as const]),
    ...(Object.keys(parameters).length === 0
      ? []
      : [["params", JSON.stringify(parameters)] as const]),
    ...(messages.length === 0 ? [] : [["messages", JSON.stringify(messages)] as const]),
    ...licenses.map((text) => ["license", text] as const),
  ];
  const storedTexts: OllamaText[] = [];
  for (const [kind, text] of contents) {
    const bytes = Buffer.from(text);
    const hash = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    const path = `${place.replaceAll("\\", "/")}/${kind}-${hash}`;
    const file = { path: join(folder, path), chunks: [bytes], mode: undefined };
    await replaceDurably(nodeFileSystem, file);
    storedTexts.push({ kind, path, sizeBytes: bytes.length });
  }
  return storedTexts;
}

async function removeTexts(
  folder: string,
  texts: readonly OllamaText[],
  keptTexts: readonly OllamaText[],
): Promise<void> {
  const unusedTexts = texts.filter(({ path }) => !keptTexts.some((text) => text.path === path));
  await Promise.all(unusedTexts.map(({ path }) => rm(join(folder, path), { force: true })));
}

function entryOf(folder: string, { path, sizeBytes, sha256 }: StoredFile): Manifest["files"][0] {
  const entry = { path: isBelow(folder, path) ? toRelativePath(folder, path) : path, sizeBytes };
  return sha256 === undefined ? entry : { ...entry, sha256 };
}
