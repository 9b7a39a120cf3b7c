/** A name for one creation. Without `crypto.randomUUID`, which browsers keep from pages of plain HTTP. */
export function idempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
