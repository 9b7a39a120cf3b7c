import { closeSync, openSync, readSync } from "node:fs";
import { stat } from "node:fs/promises";
import { formatReason } from "../../core/format-reason.js";
import type { MetadataOverride } from "../../core/metadata-override.js";
import { StartupError } from "../../core/startup-error.js";
import type { BlockOfType } from "../native/tensor-blocks.js";
import { describeValue, type GgufHeader, readGgufHeader } from "./gguf-header.js";
import { type ByteSource, MalformedFileError } from "./header-reader.js";
import { checkHyperparameters } from "./hyperparameters.js";
import { applyOverrides } from "./metadata-overrides.js";

/** A model file and its role, with which its errors begin. */
export interface ModelSource {
  readonly role: "model" | "draft" | "lora" | "mmproj" | "embedding-model" | "reranking-model";
  /** Path of the file, or of the first part of a split model. */
  readonly path: string;
}

/** Total size and latest modification time of a model's files, which identify their version. */
export interface CheckedFile {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

/** A file of a model, with its header. */
export interface CheckedPart {
  readonly path: string;
  readonly header: GgufHeader;
}

/** A model whose headers are valid. */
export interface CheckedModel extends CheckedFile {
  /** All files of the model, the first part first. */
  readonly parts: readonly [CheckedPart, ...CheckedPart[]];
}

/**
 * Checks a GGUF file, and the other parts of a split model, before anything else reads them:
 * node-llama-cpp and llama.cpp trust headers.
 * @param overrides metadata values that replace those of the file, and are checked like them
 * @throws {StartupError} names the path and the reason
 */
export async function checkModelFile(
  { role, path }: ModelSource,
  blockOf: BlockOfType,
  overrides: readonly MetadataOverride[] = [],
): Promise<CheckedModel> {
  const readPart = (part: string) =>
    withErrorSubject(`${role} ${part}`, () => readModelPart(part, blockOf));
  const first = await readPart(path);
  await withErrorSubject(`${role} ${path}`, () => assertModel(first.header));
  const others = await withErrorSubject(`${role} ${path}`, () =>
    findOtherParts(path, first.header),
  );
  const names = new Set(first.header.tensors.keys());
  const parts: [CheckedPart, ...CheckedPart[]] = [{ path, header: first.header }];
  let { sizeBytes, modifiedMs } = first;
  for (const [index, part] of others.entries()) {
    const { header, ...file } = await readPart(part);
    await withErrorSubject(`${role} ${part}`, () => {
      checkPart(header, index + 1);
      addNames(names, header);
    });
    parts.push({ path: part, header });
    sizeBytes += file.sizeBytes;
    modifiedMs = Math.max(modifiedMs, file.modifiedMs);
  }
  await withErrorSubject(`${role} ${path}`, () => checkHyperparameters(first.header));
  if (overrides.length > 0) checkOverrides(first.header, overrides);
  return { sizeBytes, modifiedMs, parts };
}

/** Descriptions of files used together with a model, by `general.type`. */
const COMPANIONS: Readonly<Record<string, string>> = {
  adapter: "an adapter, which is used with its model (--lora)",
  mmproj: "a projector, which is used with its model (--mmproj)",
};

function assertModel({ metadata }: GgufHeader): void {
  const type = metadata.get("general.type");
  const companion = type?.type === "string" ? COMPANIONS[type.text ?? ""] : undefined;
  if (companion !== undefined) throw new Error(`expected a model, got ${companion}`);
}

/**
 * Checks a LoRA adapter or a projector like {@link checkModelFile} checks a model.
 * @throws {StartupError} names the path and the reason
 */
export async function checkCompanionFile(
  { role, path }: ModelSource & { readonly role: "lora" | "mmproj" },
  blockOf: BlockOfType,
): Promise<CheckedFile & CheckedPart> {
  return {
    path,
    ...(await withErrorSubject(`${role} ${path}`, () => readModelPart(path, blockOf))),
  };
}

/** @throws {StartupError} names the key whose overridden value is invalid */
function checkOverrides({ metadata }: GgufHeader, overrides: readonly MetadataOverride[]): void {
  try {
    checkHyperparameters({ metadata: applyOverrides(metadata, overrides) });
  } catch (error) {
    throw new StartupError(`--override-kv: ${formatReason(error)}`, error);
  }
}

/**
 * Checks only that the file exists, which is fast; {@link checkModelFile} reads it.
 * @throws {StartupError} names the path and the reason
 */
export async function assertModelFileExists({ role, path }: ModelSource): Promise<void> {
  await withErrorSubject(`${role} ${path}`, () => statPart(path));
}

/** Runs a check and prefixes its errors with their subject. */
async function withErrorSubject<Result>(
  subject: string,
  check: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await check();
  } catch (error) {
    const problem = error instanceof MalformedFileError ? "not a valid GGUF file: " : "";
    throw new StartupError(`${subject}: ${problem}${formatReason(error)}`, error);
  }
}

async function readModelPart(
  path: string,
  blockOf: BlockOfType,
): Promise<CheckedFile & { readonly header: GgufHeader }> {
  const file = await statPart(path);
  return { ...file, header: readFileHeader(path, file.sizeBytes, blockOf) };
}

/** @throws {Error} the file does not exist */
export async function statPart(path: string): Promise<CheckedFile> {
  const info = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT" ? new Error("no such file", { cause: error }) : error;
  });
  if (!info.isFile())
    throw new Error(`expected a file, got ${info.isDirectory() ? "a folder" : "a device or pipe"}`);
  return { sizeBytes: info.size, modifiedMs: info.mtimeMs };
}

function readFileHeader(path: string, sizeBytes: number, blockOf: BlockOfType): GgufHeader {
  const descriptor = openSync(path, "r");
  try {
    return readGgufHeader(createFileSource(descriptor, sizeBytes), blockOf);
  } finally {
    closeSync(descriptor);
  }
}

function createFileSource(descriptor: number, sizeBytes: number): ByteSource {
  let buffer = Buffer.alloc(0);
  return {
    sizeBytes,
    read(offset, length) {
      if (buffer.length < length) buffer = Buffer.alloc(length);
      return buffer.subarray(0, readSync(descriptor, buffer, 0, length, offset));
    },
  };
}

/** Names of the parts of a split model, as generated by llama.cpp. */
const PART_NAME = /-(?<part>\d{5})-of-(?<parts>\d{5})\.gguf$/;

/**
 * Returns the paths of the parts after the first one. The header and the file name must agree on
 * their number.
 */
function findOtherParts(path: string, { metadata }: GgufHeader): string[] {
  const { part = "00001", parts = "00001" } = PART_NAME.exec(path)?.groups ?? {};
  const count = readSplitNumber(metadata, "split.count") ?? 1;
  if (count !== Number(parts) && Math.max(count, Number(parts)) > 1) {
    throw new MalformedFileError(
      `metadata "split.count": expected ${Number(parts)}, as in the file's name, got ${count}`,
    );
  }
  if (count <= 1) return [];
  if (Number(part) !== 1) {
    throw new MalformedFileError(`expected the first of ${count} parts (-00001-of-${parts}.gguf)`);
  }
  checkPart({ metadata }, 0);
  return Array.from({ length: count - 1 }, (_, index) =>
    path.replace(PART_NAME, `-${String(index + 2).padStart(5, "0")}-of-${parts}.gguf`),
  );
}

/** @param index index of the part; 0 is the first */
function checkPart({ metadata }: Pick<GgufHeader, "metadata">, index: number): void {
  const actual = readSplitNumber(metadata, "split.no");
  if (actual === index) return;
  throw new MalformedFileError(
    `metadata "split.no": expected ${index}, got ${actual ?? "nothing"}`,
  );
}

function readSplitNumber(metadata: GgufHeader["metadata"], key: string): number | undefined {
  const value = metadata.get(key);
  if (value === undefined || value.type === "u16") return value?.value;
  throw new MalformedFileError(`metadata "${key}": expected a u16, got ${describeValue(value)}`);
}

function addNames(names: Set<string>, { tensors }: GgufHeader): void {
  for (const name of tensors.keys()) {
    if (names.has(name)) {
      throw new MalformedFileError(`tensor ${JSON.stringify(name)}: already in an earlier part`);
    }
    names.add(name);
  }
}
