import { randomFillSync } from "node:crypto";

/**
 * Prefix of an id: messages, reasoning, calls and their outputs, responses, conversations, items of
 * MCP servers.
 */
export type IdPrefix =
  | ("msg" | "rs" | "fc" | "fco" | "ctc" | "ctco" | "resp" | "conv")
  | ("lsh" | "lsho" | "sh" | "sho" | "apc" | "apco")
  | ("mcp" | "mcpl" | "mcpr" | "mcpa");

const ID_BYTES = 16;
/**
 * Random bytes for many ids: a request may need thousands, and one system call per id would
 * dominate its cost.
 */
const randomBytes = Buffer.alloc(256 * ID_BYTES);
let usedBytes = randomBytes.length;

/** Creates a unique id that cannot be guessed, of 128 random bits. */
export function createId(prefix: IdPrefix): string {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes);
    usedBytes = 0;
  }
  usedBytes += ID_BYTES;
  return `${prefix}_${randomBytes.toString("hex", usedBytes - ID_BYTES, usedBytes)}`;
}
