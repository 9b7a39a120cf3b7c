/** Bytes of a number, a boolean or null, more or less. */
const SCALAR_BYTES = 8;
/** Of a text, a list or an object beside its content: quotes, brackets, commas. */
const FRAME_BYTES = 3;

/**
 * How much of a store a value takes: its length as JSON, more or less, in bytes. It is not printed for that: printing
 * megabytes would hold up all other clients.
 * @param value plain data, or what has `toJSON`
 */
export function storedBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + FRAME_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  if ("toJSON" in value && typeof value.toJSON === "function") return storedBytes(value.toJSON());
  let bytes = FRAME_BYTES;
  if (Array.isArray(value)) {
    for (const item of value) bytes += storedBytes(item);
    return bytes;
  }
  // Object.entries would make three objects for each member.
  for (const key in value) {
    const member: unknown = value[key as keyof typeof value];
    if (member !== undefined) bytes += key.length + FRAME_BYTES + storedBytes(member);
  }
  return bytes;
}
