import { createHash } from "node:crypto";
import { isJsonObject } from "../../core/json.js";

const DATA_URL = /^data:(?<type>[^,;]*)[^,]*;base64,/;

/** Length from which a text in the alphabet of Base64 is taken for a file, not for language. */
const MIN_BASE64_CHARACTERS = 512;
const BASE64 = /^[A-Za-z\d+/_-]+={0,2}$/;

/**
 * Replaces images, audio and other files in the body of a request by their type, size and SHA-256:
 * bytes of forms, `data:` URLs, and long texts in Base64.
 * @returns a copy
 */
export function withoutMedia(value: unknown): unknown {
  if (typeof value === "string") return describeMedia(value) ?? value;
  if (value instanceof Uint8Array) return describeBytes("file", value);
  if (Array.isArray(value)) return value.map(withoutMedia);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutMedia(member)]),
  );
}

/** `undefined`: the text is no media. */
function describeMedia(text: string): string | undefined {
  const url = DATA_URL.exec(text);
  if (url !== null) {
    const bytes = Buffer.from(text.slice(url[0].length), "base64");
    return describeBytes(url.groups?.type || "file", bytes);
  }
  const isFile = text.length >= MIN_BASE64_CHARACTERS && BASE64.test(text);
  return isFile ? describeBytes("file", Buffer.from(text, "base64")) : undefined;
}

/** `[image/png, 1234 bytes, sha256:…]` */
function describeBytes(type: string, bytes: Uint8Array): string {
  const hash = createHash("sha256").update(bytes).digest("hex");
  return `[${type}, ${bytes.length} bytes, sha256:${hash}]`;
}
