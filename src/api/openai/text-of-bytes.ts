import { isUtf8 } from "node:buffer";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes the bytes of a token; `undefined`: they are not valid UTF-8 by themselves. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  // A throwing decoder would create an error for each such token, which is slow.
  return isUtf8(bytes) ? decoder.decode(bytes) : undefined;
}
