import { createHash } from "node:crypto";
import { constants, createReadStream, createWriteStream } from "node:fs";
import {
  access,
  chmod,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { type PromptIdentity, parsePrompt, serialisePrompt } from "./prompt-identity.js";

/**
 * Files of states that outlive their process: `X.state`, which llama.cpp writes and reads, and its manifest
 * `X.state.json`. While llama.cpp reads the state, it is named `X.state.taken`.
 */
export const STATE_SUFFIX = ".state";
export const MANIFEST_SUFFIX = ".json";
const READING_SUFFIX = ".taken";

/**
 * Size of the pieces that are read and hashed at once: each blocks the event loop for 3 ms with SHA instructions, 10 ms
 * without. The reads in between wait for the current batch.
 */
const PIECE_BYTES = 4 * 2 ** 20;
/** Maximum number of names in one warning. */
const MAX_NAMES = 5;
/** Flags that refuse to follow a link, and to wait for the writer of a FIFO that has replaced a file. */
const PLAIN_FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const OWNER_MODES = { folder: 0o700, file: 0o600 };

/** The model and prompt that a state was computed from. */
export interface StateSubject {
  /** Identity of the model, the version and the cache settings. */
  readonly identity: string;
  readonly prompt: PromptIdentity;
}

/** Manifest of a state, by which a later process finds it. */
export interface Manifest {
  readonly prompt: PromptIdentity;
  /** See {@link computeChecksum}. */
  readonly checksum: string;
}

/** A state in a permanent folder. */
export interface PermanentState extends Manifest {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Returns the SHA-256 of a state's subject and file: it differs for a changed file, and for the file or manifest of
 * another state. It does not protect against programs that can write to the folder.
 */
export async function computeChecksum(
  path: string,
  { identity, prompt }: StateSubject,
): Promise<string> {
  const hash = createHash("sha256");
  const serialised = serialisePrompt(prompt);
  // A list of tokens is never an object with segments, so different subjects have different texts.
  const identityFields = "tokens" in serialised ? serialised.tokens : serialised;
  hash.update(JSON.stringify([identity, identityFields]));
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  const file = await open(path, PLAIN_FILE_FLAGS);
  try {
    for (;;) {
      const { bytesRead } = await file.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return hash.digest("hex");
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/**
 * Creates a folder for states with access for its owner only, because llama.cpp would read files that other users put
 * there.
 */
export async function makeStateFolder(path: string): Promise<void> {
  await makeFolder(path);
  await chmod(path, OWNER_MODES.folder);
}

/**
 * Creates a folder with access for its owner only, including missing parents. Node's own recursive `mkdir` never
 * returns if a parent exists in which no folder can be created, such as `/proc`.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: OWNER_MODES.folder });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || (await exists(parent))) throw error;
    await makeFolder(parent);
    await mkdir(path, { mode: OWNER_MODES.folder });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Writes the manifest of a state that has been written.
 * @returns its checksum
 */
export async function sealState(path: string, subject: StateSubject): Promise<string> {
  await chmod(path, OWNER_MODES.file);
  const checksum = await computeChecksum(path, subject);
  const manifest = { ...serialisePrompt(subject.prompt), checksum };
  await writeFile(path + MANIFEST_SUFFIX, JSON.stringify(manifest), { mode: OWNER_MODES.file });
  return checksum;
}

/**
 * Renames a state while llama.cpp reads it. If the read hangs or crashes the process, the state keeps that name, and is
 * deleted when the folder is next opened.
 * @returns its path during the read
 */
export async function renameForReading(path: string): Promise<string> {
  await rename(path, path + READING_SUFFIX);
  return path + READING_SUFFIX;
}

/** Deletes a state, renamed or not, and its manifest; ignores entries that cannot be deleted, such as folders. */
export async function removeState(path: string): Promise<void> {
  for (const suffix of ["", READING_SUFFIX, MANIFEST_SUFFIX]) {
    await rm(path + suffix, { force: true }).catch(() => undefined);
  }
}

/** Moves a file: renames it, or copies it between file systems in pieces, between which batches are evaluated. */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await pipeline(
      createReadStream(from, { highWaterMark: PIECE_BYTES }),
      createWriteStream(to, { flags: "wx", mode: OWNER_MODES.file }),
    );
    await rm(from, { force: true });
  }
}

/**
 * Finds the states that earlier processes left in a folder. Deletes incomplete states, and states whose read crashed a
 * process; leaves files alone that do not belong to the cache or cannot be read. Opens only plain files: opening a FIFO
 * would wait for a writer.
 * @returns the states, least recently written first
 */
export async function readPermanentStates(
  folder: string,
  onWarning: (message: string) => void,
): Promise<readonly PermanentState[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const unusableFiles = new Set<string>();
  const files = new Set<string>();
  for (const entry of entries) {
    const isStateFile = entry.isFile() && parseStateName(entry.name) !== undefined;
    (isStateFile ? files : unusableFiles).add(entry.name);
  }
  const permanentStates: (PermanentState & { readonly writtenAt: number })[] = [];
  let interruptedReads = 0;
  for (const state of new Set([...files].flatMap((name) => parseStateName(name) ?? []))) {
    const path = join(folder, state);
    const names = [state, state + MANIFEST_SUFFIX, state + READING_SUFFIX];
    if (names.some((name) => unusableFiles.has(name))) continue;
    if (files.has(state + READING_SUFFIX)) interruptedReads++;
    const isWhole = files.has(state) && files.has(state + MANIFEST_SUFFIX);
    const permanentState = isWhole
      ? await readPermanentState(path).catch(() => "unreadable" as const)
      : undefined;
    if (permanentState === "unreadable") unusableFiles.add(state);
    else if (permanentState === undefined) await removeState(path);
    else permanentStates.push(permanentState);
  }
  warnOfUnusableFiles(folder, { lost: interruptedReads, odd: [...unusableFiles] }, onWarning);
  return permanentStates.toSorted((a, b) => a.writtenAt - b.writtenAt);
}

function warnOfUnusableFiles(
  folder: string,
  { lost, odd }: { readonly lost: number; readonly odd: readonly string[] },
  onWarning: (message: string) => void,
): void {
  if (lost > 0) {
    onWarning(`${folder}: deleted ${lost} saved states: a process exited while reading them`);
  }
  if (odd.length === 0) return;
  const names = odd.slice(0, MAX_NAMES).join(", ") + (odd.length > MAX_NAMES ? ", …" : "");
  onWarning(`${folder}: ignored files that are not saved states or cannot be read: ${names}`);
}

/** Returns the name of the state that a file belongs to; `undefined`: none. */
function parseStateName(name: string): string | undefined {
  return /^(.+\.state)(\.json|\.taken)?$/.exec(name)?.[1];
}

/**
 * @returns `undefined` if the state or its manifest is incomplete
 * @throws if one of them cannot be read
 */
async function readPermanentState(
  path: string,
): Promise<(PermanentState & { writtenAt: number }) | undefined> {
  await access(path, constants.R_OK);
  const { size, mtimeMs } = await stat(path);
  const manifest = await readManifest(path);
  if (manifest === undefined || size === 0) return undefined;
  return { ...manifest, path, bytes: size, writtenAt: mtimeMs };
}

/**
 * Reads the manifest of a state.
 * @returns `undefined` if the manifest is incomplete
 * @throws if it cannot be read
 */
export async function readManifest(path: string): Promise<Manifest | undefined> {
  return parseManifest(await readFile(path + MANIFEST_SUFFIX, "utf8"));
}

function parseManifest(text: string): Manifest | undefined {
  try {
    const { checksum, ...serialised } = JSON.parse(text) as Partial<Record<string, unknown>>;
    const prompt = parsePrompt(serialised);
    const isComplete = prompt !== undefined && typeof checksum === "string";
    return isComplete ? { prompt, checksum } : undefined;
  } catch {
    return undefined;
  }
}

/** All facts, apart from the prompt, that determine a state. */
export interface StateOrigin {
  /** Versions of the server, and of the library that defines the state format. */
  readonly versions: readonly string[];
  /** A hash of the model's content. */
  readonly model: string;
  readonly kvCacheTypes: { readonly keys: string; readonly values: string };
  /** Attention kernel; without flash attention, values are stored transposed. */
  readonly attention: "flash" | "plain";
  readonly layout: "split" | "unified";
  /** Number of streams of the KV cache; a state lists each of them. */
  readonly streams: number;
  /** Context size in tokens, if states depend on it. */
  readonly contextSize?: number | undefined;
  /** Overrides of the model file that change the computation: metadata values and RoPE. Plain data. */
  readonly changes: object;
}

/** Returns a name that is unique to states of one origin. */
export function computeStateIdentity(origin: StateOrigin): string {
  const { versions, model, kvCacheTypes, attention, layout, streams, changes } = origin;
  const { contextSize = 0 } = origin;
  const types = [...new Set([kvCacheTypes.keys, kvCacheTypes.values])].join("-");
  const originFields = [versions, model, types, attention, layout, streams, contextSize, changes];
  const hash = createHash("sha256").update(JSON.stringify(originFields)).digest("hex").slice(0, 24);
  return `${hash}-${types}-${attention}-${layout}`;
}
