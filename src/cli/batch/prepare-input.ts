import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { ENDPOINTS } from "../../api/batches/schema.js";
import type { InputError } from "../../batches/batch.js";
import { MAX_LINES } from "../../batches/index-input.js";
import {
  type InputLine,
  invalid,
  isLineError,
  type LineError,
  parseUnroutedLine,
} from "../../batches/parse-line.js";
import { readLines } from "../../batches/read-lines.js";
import { formatReason } from "../../core/format-reason.js";
import { errorCodeOf } from "../../files/system-errors.js";

/** Lines of a file that become one batch. */
export interface InputPart {
  readonly endpoint: string;
  /** File of the lines. Its line numbers are those of the input: other lines are empty. */
  readonly path: string;
  readonly sha256: string;
}

export interface PreparedInput {
  readonly parts: readonly InputPart[];
  /** Models that lines name, each with the number of its first line. */
  readonly models: ReadonlyMap<string, number>;
}

export type InputProblem = Pick<InputError, "line" | "message">;

export interface InputProblems {
  readonly problems: readonly InputProblem[];
}

interface PrepareOptions {
  /** Existing folder for the parts. */
  readonly folder: string;
  /** Model of all lines; `undefined`: each line names its own. */
  readonly model: string | undefined;
  /** Ends reading the stream. */
  readonly signal: AbortSignal;
  /** @default MAX_LINES */
  readonly maxLines?: number;
}

/** Paths of vLLM's run-batch with the same requests. */
const ENDPOINT_ALIASES: Readonly<Record<string, string>> = {
  "/rerank": "/v1/rerank",
  "/v2/rerank": "/v1/rerank",
};

/** Longer lines exceed every limit of request bodies. */
const MAX_LINE_BYTES = 2 ** 28;
const MAX_PROBLEMS = 20;
const WRITE_BYTES = 2 ** 20;
const LINE_FEED = Buffer.from("\n");

/**
 * Validates an input file and divides it into parts, by endpoint and at the maximum number of lines
 * of a batch.
 * @param source path, or a stream of the content
 * @throws the signal's reason if it is aborted
 */
export async function prepareInput(
  source: string | NodeJS.ReadableStream,
  options: PrepareOptions,
): Promise<PreparedInput | InputProblems> {
  const { folder, signal } = options;
  try {
    const path = typeof source === "string" ? source : join(folder, "input.jsonl");
    if (typeof source !== "string") {
      await pipeline(source, createWriteStream(path), { signal });
    }
    const file = await open(path);
    try {
      return await divide(file, options);
    } finally {
      await file.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    const reason = errorCodeOf(error) === "ENOENT" ? "no such file" : formatReason(error);
    return { problems: [{ line: null, message: reason }] };
  }
}

async function divide(
  file: FileHandle,
  options: PrepareOptions,
): Promise<PreparedInput | InputProblems> {
  const divider = new InputDivider(options);
  let number = 0;
  for await (const { length, bytes } of readLines(file, MAX_LINE_BYTES)) {
    number++;
    if (bytes === undefined) {
      const message = `line: expected at most ${MAX_LINE_BYTES} bytes, got ${length}.`;
      divider.problems.push({ line: number, message });
    } else if (bytes.toString("latin1").trim() !== "") {
      await divider.add(number, bytes);
    }
    if (divider.problems.length >= MAX_PROBLEMS) break;
  }
  return divider.end();
}

/** Divides lines into parts. */
class InputDivider {
  readonly #options: PrepareOptions;
  readonly problems: InputProblem[] = [];
  readonly #parts: PartWriter[] = [];
  /** Parts that take further lines, by endpoint. */
  readonly #openParts = new Map<string, PartWriter>();
  readonly #models = new Map<string, number>();
  readonly #ids = new Set<string>();

  constructor(options: PrepareOptions) {
    this.#options = options;
  }

  /** @param number line number in the input */
  async add(number: number, bytes: Buffer): Promise<void> {
    const { model } = this.#options;
    const line = parseRoutedLine(bytes);
    if (isLineError(line)) {
      this.problems.push({ line: number, message: line.message });
      return;
    }
    const { customId, url, body, isOriginal } = line;
    if (this.#ids.has(customId)) {
      const id = JSON.stringify(customId);
      const message = `custom_id: expected a unique value, got ${id} again.`;
      this.problems.push({ line: number, message });
      return;
    }
    this.#ids.add(customId);
    const name = model ?? body.model;
    if (typeof name === "string" && !this.#models.has(name)) this.#models.set(name, number);
    const isUnchanged = isOriginal && model === undefined;
    await this.#openPart(url).write(number, isUnchanged ? bytes : printLine(line, model));
  }

  async end(): Promise<PreparedInput | InputProblems> {
    const parts = await Promise.all(this.#parts.map((part) => part.end()));
    const { problems } = this;
    if (problems.length > 0) return { problems };
    if (parts.length > 0) return { parts, models: this.#models };
    return { problems: [{ line: null, message: "expected at least one line, got none." }] };
  }

  #openPart(endpoint: string): PartWriter {
    const { folder, maxLines = MAX_LINES } = this.#options;
    const current = this.#openParts.get(endpoint);
    if (current !== undefined && current.lines < maxLines) return current;
    const part = new PartWriter(endpoint, join(folder, `part-${this.#parts.length}.jsonl`));
    this.#openParts.set(endpoint, part);
    this.#parts.push(part);
    return part;
  }
}

interface RoutedLine extends InputLine {
  /** Whether the line has ggufd's path. */
  readonly isOriginal: boolean;
}

function parseRoutedLine(bytes: Buffer): RoutedLine | LineError {
  const line = parseUnroutedLine(bytes);
  if (isLineError(line)) return line;
  const { customId, url, body } = line;
  const endpoint = typeof url === "string" ? (ENDPOINT_ALIASES[url] ?? url) : undefined;
  const known: readonly (string | undefined)[] = ENDPOINTS;
  if (endpoint === undefined || !known.includes(endpoint)) {
    return invalid("url", `expected one of ${ENDPOINTS.join(", ")}`, url);
  }
  return { customId, url: endpoint, body, isOriginal: endpoint === url };
}

function printLine({ customId, url, body }: InputLine, model: string | undefined): Buffer {
  const ownBody = model === undefined ? body : { ...body, model };
  return Buffer.from(JSON.stringify({ custom_id: customId, method: "POST", url, body: ownBody }));
}

/** Writes the file of a part. */
class PartWriter {
  readonly #endpoint: string;
  readonly #path: string;
  readonly #hash = createHash("sha256");
  #lastNumber = 0;
  #lines = 0;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #file: FileHandle | undefined;

  constructor(endpoint: string, path: string) {
    this.#endpoint = endpoint;
    this.#path = path;
  }

  get lines(): number {
    return this.#lines;
  }

  /** @param number line number in the input */
  async write(number: number, line: Buffer): Promise<void> {
    const skippedLines = Buffer.alloc(number - this.#lastNumber - 1, LINE_FEED);
    const chunk = Buffer.concat([skippedLines, line, LINE_FEED]);
    this.#hash.update(chunk);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#lastNumber = number;
    this.#lines++;
    if (this.#bytes >= WRITE_BYTES) await this.#flush();
  }

  async end(): Promise<InputPart> {
    await this.#flush();
    await this.#file?.close();
    return { endpoint: this.#endpoint, path: this.#path, sha256: this.#hash.digest("hex") };
  }

  async #flush(): Promise<void> {
    this.#file ??= await open(this.#path, "wx", 0o600);
    await this.#file.appendFile(Buffer.concat(this.#chunks));
    this.#chunks = [];
    this.#bytes = 0;
  }
}
