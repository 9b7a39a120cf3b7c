/**
 * Marks reasoning of this server, with a version. Reasoning of other servers is encrypted and
 * cannot be read.
 */
const PREFIX = "ggufd-reasoning-1.";

/**
 * Encodes reasoning as an opaque string. Clients that do not store the reasoning itself send this
 * string back unread. It is not encrypted, because it need not be secret.
 */
export function toOpaqueReasoning(text: string): string {
  return PREFIX + Buffer.from(text, "utf8").toString("base64url");
}

/** Decodes reasoning from an opaque string; `undefined`: the string is from another server. */
export function fromOpaqueReasoning(opaque: string): string | undefined {
  if (!opaque.startsWith(PREFIX)) return undefined;
  return Buffer.from(opaque.slice(PREFIX.length), "base64url").toString("utf8");
}
