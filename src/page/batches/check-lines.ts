/** Routes that answer lines. */
export const ENDPOINTS = [
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/responses",
  "/v1/embeddings",
  "/v1/rerank",
] as const;

/** Length of the beginning of a file that is checked, in bytes. */
const CHECKED_BYTES = 256 * 1024;

/** Maximum number of checked lines. */
const CHECKED_LINES = 20;

const MAX_ID_CHARS = 512;

/** Fields that the server refuses in a batch. */
const INTERACTIVE_FIELDS = ["stream", "background"] as const;

/** First invalid line of a file. */
export interface LineProblem {
  /** From 1. */
  readonly line: number;
  /** `custom_id: expected a string, got nothing` */
  readonly problem: string;
}

/** Reads the first complete lines of a file. */
export async function readFirstLines(file: Blob): Promise<readonly string[]> {
  const lines = (await file.slice(0, CHECKED_BYTES).text()).split("\n");
  if (file.size > CHECKED_BYTES) lines.pop();
  return lines.slice(0, CHECKED_LINES);
}

/** Returns the route that the first request names, if it answers lines of batches. */
export function findEndpoint(lines: readonly string[]): string | undefined {
  const first = lines.find((line) => line.trim() !== "");
  const request = first === undefined ? undefined : parseObject(first);
  return ENDPOINTS.find((endpoint) => endpoint === request?.url);
}

/**
 * Finds an error that the server would report after the upload.
 * @param lines first lines of a file
 * @param endpoint route of all lines
 */
export function findLineProblem(
  lines: readonly string[],
  endpoint: string,
): LineProblem | undefined {
  const lineById = new Map<string, number>();
  for (const [index, text] of lines.entries()) {
    if (text.trim() === "") continue;
    const line = index + 1;
    const request = parseObject(text);
    if (request === undefined) return { line, problem: "expected a JSON object" };
    const problem = describeProblem(request, endpoint, lineById);
    if (problem !== undefined) return { line, problem };
    lineById.set(String(request.custom_id), line);
  }
  return undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

function describeProblem(
  { custom_id: id, method, url, body }: JsonObject,
  endpoint: string,
  lineById: ReadonlyMap<string, number>,
): string | undefined {
  if (typeof id !== "string" || id === "" || id.length > MAX_ID_CHARS) {
    return `custom_id: expected a string of 1 to ${MAX_ID_CHARS} characters, got ${show(id)}`;
  }
  const sameId = lineById.get(id);
  if (sameId !== undefined) return `custom_id: expected a unique value, got that of line ${sameId}`;
  if (method !== "POST") return `method: expected "POST", got ${show(method)}`;
  if (url !== endpoint) return `url: expected "${endpoint}", got ${show(url)}`;
  if (!isObject(body)) return `body: expected a JSON object, got ${show(body)}`;
  const field = INTERACTIVE_FIELDS.find((one) => body[one] === true);
  return field && `body.${field}: expected false or nothing in a batch, got true`;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MAX_SHOWN_CHARS = 100;

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "an array" : "an object";
  }
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}
