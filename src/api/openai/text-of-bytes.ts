import { isUtf8 } from "node:buffer";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of a token's bytes; `undefined`: they are no text by themselves. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  // A decoder that throws would make an error for each token of some texts.
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined;
}
