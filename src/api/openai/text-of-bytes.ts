const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a token's bytes; `undefined`: they are no text by themselves. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
