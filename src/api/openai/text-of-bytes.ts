import { isUtf8 } from "node:buffer";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of a token's bytes; `undefined`: they are not valid UTF-8 by themselves. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  // A decoder that throws would create an error for each token of some texts, which is slow.
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined;
}
