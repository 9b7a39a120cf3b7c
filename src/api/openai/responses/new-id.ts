import { randomFillSync } from "node:crypto";

/** What an id belongs to: messages, reasoning, calls and their outputs, responses, conversations. */
export type IdPrefix = "msg" | "rs" | "fc" | "fco" | "ctc" | "ctco" | "resp" | "conv";

const ID_BYTES = 16;
/** Random bytes of many ids: a request may need thousands, and drawing them one by one takes the longest. */
const randomBytes = Buffer.alloc(256 * ID_BYTES);
let used = randomBytes.length;

/** An id that nothing else has and that cannot be guessed. */
export function newId(prefix: IdPrefix): string {
  if (used === randomBytes.length) {
    randomFillSync(randomBytes);
    used = 0;
  }
  used += ID_BYTES;
  return `${prefix}_${randomBytes.toString("hex", used - ID_BYTES, used)}`;
}
