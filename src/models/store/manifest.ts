import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { z } from "zod";
import { formatReason } from "../../core/format-reason.js";
import { replaceDurably } from "../../files/durable-file.js";
import { nodeFileSystem } from "../../files/file-system.js";
import { describeIssues } from "../../validation/describe-issues.js";
import { ModelError } from "../model-error.js";
import { isSafePath } from "./safe-path.js";
import { ollamaTextKinds } from "./stored-model.js";

/** Folder of the manifests, below ggufd's model folder. */
export const MANIFESTS = "manifests";

/** Maximum size of a manifest; that of a model in 500 parts has 150 KB. */
const MAX_MANIFEST_BYTES = 1024 * 1024;

const SAFE_PATH = "expected a path below the models folder";
const safePath = z.string().refine(isSafePath, { error: SAFE_PATH });

/**
 * File of a manifest. Its path is relative to ggufd's model folder, or absolute for a model derived
 * from another program's.
 */
const manifestFile = z.object({
  path: z.string().refine((path) => isSafePath(path) || isAbsolute(path), { error: SAFE_PATH }),
  sizeBytes: z.int().min(0),
  /** Absent: the source states no digest, and only the length was compared. */
  sha256: z
    .string()
    .regex(/^[\da-f]{64}$/)
    .optional(),
});

const texts = z.array(
  z.object({
    kind: z.enum(ollamaTextKinds),
    path: safePath,
    sizeBytes: z.int().min(0),
  }),
);

const origin = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("hugging-face"),
    repo: z.string(),
    revision: z.string(),
    file: z.string(),
  }),
  z.object({
    kind: z.literal("ollama"),
    name: z.string(),
    texts,
  }),
  z.object({ kind: z.literal("url"), url: z.string() }),
  z.object({ kind: z.literal("made"), from: z.string(), texts }),
]);

const manifestFields = z.object({
  version: z.literal(1),
  name: z.string().min(1),
  aliases: z.array(z.string()),
  /** Canonical names of the sources that the model was pulled from. */
  sources: z.array(z.string()),
  /** RFC 3339. */
  pulledAt: z.iso.datetime(),
  origin,
  files: z.tuple([manifestFile], manifestFile),
  projector: manifestFile.optional(),
  adapters: z.array(manifestFile),
});

/** Pulled models may only refer to files in ggufd's folder. */
const manifest = manifestFields.superRefine(({ origin: { kind }, ...fields }, context) => {
  if (kind === "made") return;
  for (const [index, { path }] of fields.files.entries()) {
    if (!isSafePath(path)) refuse(["files", index, "path"]);
  }
  for (const [index, { path }] of fields.adapters.entries()) {
    if (!isSafePath(path)) refuse(["adapters", index, "path"]);
  }
  if (fields.projector !== undefined && !isSafePath(fields.projector.path)) {
    refuse(["projector", "path"]);
  }
  function refuse(path: (string | number)[]): void {
    context.addIssue({ code: "custom", message: SAFE_PATH, path });
  }
});

/** Manifest of a pulled or derived model. */
export type Manifest = Readonly<z.infer<typeof manifestFields>>;
export type ManifestFile = Readonly<z.infer<typeof manifestFile>>;

/** @throws {ModelError} `storage`: the file cannot be read or is not a manifest */
export async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw createManifestError(path, formatReason(error), error);
  });
  if (text.length > MAX_MANIFEST_BYTES) {
    throw createManifestError(
      path,
      `expected at most ${MAX_MANIFEST_BYTES} bytes, got ${text.length}`,
    );
  }
  const value = parseJson(path, text);
  const result = manifest.safeParse(value);
  if (result.success) return result.data;
  const [detail] = describeIssues(result.error, value);
  throw createManifestError(path, `${detail?.field}: ${detail?.reason}`);
}

/**
 * Writes a manifest durably and atomically: either the old or the new one is there at any time.
 * @param manifestKey path of the manifest below the manifest folder, without `.json`
 */
export async function writeManifest(
  folder: string,
  manifestKey: string,
  content: Manifest,
): Promise<string> {
  const path = join(folder, MANIFESTS, `${manifestKey}.json`);
  const chunks = [Buffer.from(`${JSON.stringify(content, null, 2)}\n`)];
  await replaceDurably(nodeFileSystem, { path, chunks, mode: undefined });
  return path;
}

/** Returns the files of a manifest that contain weights. */
export function filesIn({ files, projector, adapters }: Manifest): readonly ManifestFile[] {
  return [...files, ...(projector === undefined ? [] : [projector]), ...adapters];
}

/** Returns all files that a manifest refers to, including texts. */
export function pathsOf(manifest: Manifest): readonly Pick<ManifestFile, "path" | "sizeBytes">[] {
  const { origin: from } = manifest;
  return [...filesIn(manifest), ...("texts" in from ? from.texts : [])];
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw createManifestError(path, `not JSON: ${formatReason(error)}`, error);
  }
}

function createManifestError(path: string, reason: string, cause?: unknown): ModelError {
  return new ModelError("storage", `manifest ${path}: ${reason}`, cause);
}
