import { randomBytes } from "node:crypto";
import { HASH_PREFIX, hashOf, parseAttribute, readKey } from "../config/keys/key-line.js";
import { StartupError } from "../core/startup-error.js";

export interface KeyArguments {
  /** `new`: a random key is made; `given`: it is read from standard input. */
  readonly origin: "new" | "given";
  /** As they are to stand in the key file. */
  readonly attributes: Readonly<Record<string, string>>;
}

export interface KeyOutput {
  /** For standard output, and so for the key file. */
  readonly line: string;
  /** For the operator, who sees the key this one time; `undefined`: it is known already. */
  readonly notice: string | undefined;
}

/** What tells those who find a key where it belongs. */
const KEY_PREFIX = "ggufd_";
const KEY_BYTES = 32;

/**
 * Makes a line of the key file, with the hash of a key.
 * @param readInput standard input to its end
 * @throws {StartupError} for wrong attributes, or for standard input that is not one key
 */
export async function makeKeyLine(
  { origin, attributes }: KeyArguments,
  readInput: () => Promise<string>,
): Promise<KeyOutput> {
  for (const [name, value] of Object.entries(attributes)) parseAttribute(name, value, "--");
  const key = origin === "new" ? newKey() : givenKey(await readInput());
  const fields = Object.entries(attributes).map(([name, value]) => `${name}=${value}`);
  const line = [`${HASH_PREFIX}${hashOf(key)}`, ...fields].join(" ");
  const notice = origin === "new" ? `The key, which is not shown again: ${key}\n` : undefined;
  return { line: `${line}\n`, notice };
}

function newKey(): string {
  return `${KEY_PREFIX}${randomBytes(KEY_BYTES).toString("base64url")}`;
}

function givenKey(input: string): string {
  const key = input.trim();
  if (key !== "" && /^\S+$/.test(key) && !key.startsWith(HASH_PREFIX)) {
    const read = readKey(key);
    if ("wrong" in read) throw new StartupError(`--hash: the key on standard input: ${read.wrong}`);
    return key;
  }
  const got = key === "" ? "nothing" : "something else";
  throw new StartupError(`--hash: expected one key on standard input, without spaces, got ${got}`);
}
