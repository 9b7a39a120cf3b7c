/** Marks the texts of this server, with their version; those of other servers are encrypted and cannot be read. */
const PREFIX = "ggufd-reasoning-1.";

/**
 * Reasoning as an opaque text, for clients that keep nothing else of it and send it back unread. It is not
 * encrypted, and need not be secret.
 */
export function toOpaqueReasoning(text: string): string {
  return PREFIX + Buffer.from(text, "utf8").toString("base64url");
}

/** The reasoning in an opaque text; `undefined` for one that is not of this server. */
export function fromOpaqueReasoning(opaque: string): string | undefined {
  if (!opaque.startsWith(PREFIX)) return undefined;
  return Buffer.from(opaque.slice(PREFIX.length), "base64url").toString("utf8");
}
