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
 * The files of states that outlive their process. Beside `X.state`, which llama.cpp writes and reads, stands
 * `X.state.json`, its manifest; while llama.cpp reads it, the state is called `X.state.taken`.
 */
export const STATE_SUFFIX = ".state";
export const MANIFEST_SUFFIX = ".json";
const TAKEN_SUFFIX = ".taken";

/**
 * Read and hashed at once: 3 ms of the event loop with SHA instructions, 10 ms without. The reads in between
 * wait for the batch that is evaluated.
 */
const PIECE_BYTES = 4 * 2 ** 20;
/** Names in one warning. */
const MAX_NAMES = 5;
/** Neither a link is followed, nor waited for who writes to a FIFO that has taken a file's place. */
const ONLY_A_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const OWNER_ONLY = { folder: 0o700, file: 0o600 };

/** What a state is the state of. */
export interface StateSubject {
  /** The model, the version and the settings of the cache. */
  readonly identity: string;
  readonly prompt: PromptIdentity;
}

/** What a later process knows a state by. */
export interface Manifest {
  readonly prompt: PromptIdentity;
  /** See {@link checksumOf}. */
  readonly checksum: string;
}

/** A state in a permanent folder. */
export interface KeptState extends Manifest {
  readonly path: string;
  readonly bytes: number;
}

/**
 * SHA-256 of what a state is the state of, and of its file: neither a changed file nor a file or a manifest of
 * another state has the same one. It is no protection against whoever can write to the folder.
 */
export async function checksumOf(
  path: string,
  { identity, prompt }: StateSubject,
): Promise<string> {
  const hash = createHash("sha256");
  const serialised = serialisePrompt(prompt);
  // A list of tokens is no object with segments: no two subjects have the same text.
  const facts = "tokens" in serialised ? serialised.tokens : serialised;
  hash.update(JSON.stringify([identity, facts]));
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  const file = await open(path, ONLY_A_FILE);
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

/** Makes a folder for states, which nobody else may read or write: llama.cpp would read what they put there. */
export async function makeStateFolder(path: string): Promise<void> {
  await makeFolder(path);
  await chmod(path, OWNER_ONLY.folder);
}

/**
 * Makes a folder of its owner's alone, with those above it, if there is none. Node's own recursive `mkdir` never ends
 * where a folder exists in which nothing can be made, such as `/proc`.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: OWNER_ONLY.folder });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || (await exists(parent))) throw error;
    await makeFolder(parent);
    await mkdir(path, { mode: OWNER_ONLY.folder });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Gives a state that has been written what a later process knows it by.
 * @returns its checksum
 */
export async function sealState(path: string, subject: StateSubject): Promise<string> {
  await chmod(path, OWNER_ONLY.file);
  const checksum = await checksumOf(path, subject);
  const manifest = { ...serialisePrompt(subject.prompt), checksum };
  await writeFile(path + MANIFEST_SUFFIX, JSON.stringify(manifest), { mode: OWNER_ONLY.file });
  return checksum;
}

/**
 * Renames a state while llama.cpp reads it. One that hangs or ends the process is still called so when the
 * folder is read again, and is deleted then.
 * @returns its path meanwhile
 */
export async function takeAway(path: string): Promise<string> {
  await rename(path, path + TAKEN_SUFFIX);
  return path + TAKEN_SUFFIX;
}

/** Deletes a state, taken away or not, and its manifest; what cannot be deleted, such as a folder, stays. */
export async function removeState(path: string): Promise<void> {
  for (const suffix of ["", TAKEN_SUFFIX, MANIFEST_SUFFIX]) {
    await rm(path + suffix, { force: true }).catch(() => undefined);
  }
}

/** A rename, or a copy between file systems, in pieces between which batches are evaluated. */
export async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await pipeline(
      createReadStream(from, { highWaterMark: PIECE_BYTES }),
      createWriteStream(to, { flags: "wx", mode: OWNER_ONLY.file }),
    );
    await rm(from, { force: true });
  }
}

/**
 * Finds the states that earlier processes have left in a folder. Those that are incomplete, and those that a
 * process was lost with, are deleted; what is no file of the cache, or cannot be read, is left alone. Only
 * plain files are opened: opening a FIFO would wait for somebody to write.
 * @returns the least recently written first
 */
export async function readKeptStates(
  folder: string,
  onWarning: (message: string) => void,
): Promise<readonly KeptState[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const odd = new Set<string>();
  const files = new Set<string>();
  for (const entry of entries) {
    const isOurs = entry.isFile() && stateOf(entry.name) !== undefined;
    (isOurs ? files : odd).add(entry.name);
  }
  const found: (KeptState & { readonly writtenAt: number })[] = [];
  let lost = 0;
  for (const state of new Set([...files].flatMap((name) => stateOf(name) ?? []))) {
    const path = join(folder, state);
    const names = [state, state + MANIFEST_SUFFIX, state + TAKEN_SUFFIX];
    if (names.some((name) => odd.has(name))) continue;
    if (files.has(state + TAKEN_SUFFIX)) lost++;
    const isWhole = files.has(state) && files.has(state + MANIFEST_SUFFIX);
    const kept = isWhole ? await readKept(path).catch(() => "unreadable" as const) : undefined;
    if (kept === "unreadable") odd.add(state);
    else if (kept === undefined) await removeState(path);
    else found.push(kept);
  }
  warnOf(folder, { lost, odd: [...odd] }, onWarning);
  return found.toSorted((a, b) => a.writtenAt - b.writtenAt);
}

function warnOf(
  folder: string,
  { lost, odd }: { readonly lost: number; readonly odd: readonly string[] },
  onWarning: (message: string) => void,
): void {
  if (lost > 0) {
    onWarning(`${folder}: ${lost} saved states are dropped: a process was lost while it read them`);
  }
  if (odd.length === 0) return;
  const names = odd.slice(0, MAX_NAMES).join(", ") + (odd.length > MAX_NAMES ? ", …" : "");
  onWarning(`${folder}: what is no saved state, or cannot be read, is left alone: ${names}`);
}

/** The name of the state that a file belongs to; `undefined`: to none. */
function stateOf(name: string): string | undefined {
  return /^(.+\.state)(\.json|\.taken)?$/.exec(name)?.[1];
}

/**
 * @returns `undefined` where the state or its manifest is incomplete
 * @throws where one of them cannot be read
 */
async function readKept(path: string): Promise<(KeptState & { writtenAt: number }) | undefined> {
  await access(path, constants.R_OK);
  const { size, mtimeMs } = await stat(path);
  const manifest = await readManifest(path);
  if (manifest === undefined || size === 0) return undefined;
  return { ...manifest, path, bytes: size, writtenAt: mtimeMs };
}

/**
 * What a state was sealed with.
 * @returns `undefined` where the manifest is incomplete
 * @throws where it cannot be read
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

/** What determines a state beside its prompt. */
export interface StateOrigin {
  /** Of the server, and of the library whose format a state has. */
  readonly versions: readonly string[];
  /** A hash of the model's content. */
  readonly model: string;
  readonly kvCacheTypes: { readonly keys: string; readonly values: string };
  /** Values are stored transposed where attention is not fused. */
  readonly attention: "flash" | "plain";
  readonly layout: "split" | "unified";
  /** Streams of the cache: a state names each of them. */
  readonly streams: number;
  /** Tokens of a context, where its length matters. */
  readonly contextSize?: number | undefined;
  /** How the model is computed otherwise than its file says: values of its metadata, and RoPE. Plain data. */
  readonly changes: object;
}

/** A name for states of one origin, which no other one has. */
export function stateIdentity(origin: StateOrigin): string {
  const { versions, model, kvCacheTypes, attention, layout, streams, changes } = origin;
  const { contextSize = 0 } = origin;
  const types = [...new Set([kvCacheTypes.keys, kvCacheTypes.values])].join("-");
  const facts = [versions, model, types, attention, layout, streams, contextSize, changes];
  const hash = createHash("sha256").update(JSON.stringify(facts)).digest("hex").slice(0, 24);
  return `${hash}-${types}-${attention}-${layout}`;
}
