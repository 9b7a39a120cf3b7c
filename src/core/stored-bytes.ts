/** Approximate size of a number, a boolean or null. */
const SCALAR_BYTES = 8;
/** Overhead of a string, an array or an object: quotes, brackets, commas. */
const FRAME_BYTES = 3;

/**
 * Estimates the size of a value in a store: roughly its length as JSON, in bytes. The value is not
 * serialised, because serialising megabytes would block the event loop for all other clients.
 * @param value plain data, or an object with `toJSON`
 */
export function estimateStoredBytes(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + FRAME_BYTES;
  if (typeof value !== "object" || value === null) return SCALAR_BYTES;
  if ("toJSON" in value && typeof value.toJSON === "function")
    return estimateStoredBytes(value.toJSON());
  let bytes = FRAME_BYTES;
  if (Array.isArray(value)) {
    for (const item of value) bytes += estimateStoredBytes(item);
    return bytes;
  }
  // Object.entries would allocate an array for each member.
  for (const key in value) {
    const member: unknown = value[key as keyof typeof value];
    if (member !== undefined) bytes += key.length + FRAME_BYTES + estimateStoredBytes(member);
  }
  return bytes;
}
