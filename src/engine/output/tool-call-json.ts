/** A tool call as the model wrote it. */
export interface WrittenToolCall {
  readonly name: string;
  /** JSON text of an object. */
  readonly arguments: string;
}

/**
 * Parses the body of a Hermes tool call: `{"name":…,"arguments":{…}}`.
 * @returns `undefined` if it is not one
 */
export function parseToolCall(body: string): WrittenToolCall | undefined {
  let call: unknown;
  try {
    call = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof call !== "object" || call === null || !("name" in call)) return undefined;
  const { name } = call;
  const args = "arguments" in call ? call.arguments : {};
  if (typeof name !== "string" || name === "") return undefined;
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  return { name, arguments: JSON.stringify(args) };
}
