import { computeKeyHash, HASH_PREFIX, parseAttribute, readKey } from "../config/keys/key-line.js";
import { createKey } from "../config/keys/new-key.js";
import { StartupError } from "../core/startup-error.js";

export interface KeyArguments {
  /** `new`: a random key is created; `given`: the key is read from standard input. */
  readonly origin: "new" | "given";
  /** Attributes as written in the key file. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface KeyOutput {
  /** Line for standard output, to be appended to the key file. */
  readonly line: string;
  /** Message that shows a new key to the operator this one time; `undefined` for a known key. */
  readonly notice: string | undefined;
}

/**
 * Creates a line of the key file with the hash of a key.
 * @param readInput reads standard input to its end
 * @throws {StartupError} an attribute is invalid, or standard input is not exactly one key
 */
export async function makeKeyLine(
  { origin, attributes }: KeyArguments,
  readInput: () => Promise<string>,
): Promise<KeyOutput> {
  for (const [name, value] of Object.entries(attributes)) parseAttribute(name, value, "--");
  const key = origin === "new" ? createKey().value : parseKeyInput(await readInput());
  const fields = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  const line = [`${HASH_PREFIX}${computeKeyHash(key)}`, ...fields].join(" ");
  const notice = origin === "new" ? `The key, which is not shown again: ${key}\n` : undefined;
  return { line: `${line}\n`, notice };
}

function parseKeyInput(input: string): string {
  const key = input.trim();
  if (key !== "" && /^\S+$/.test(key) && !key.startsWith(HASH_PREFIX)) {
    const readResult = readKey(key);
    if ("problem" in readResult)
      throw new StartupError(`--hash: the key on standard input: ${readResult.problem}`);
    return key;
  }
  const inputDescription = key === "" ? "nothing" : "something else";
  throw new StartupError(
    `--hash: expected one key without spaces on standard input, got ${inputDescription}`,
  );
}
