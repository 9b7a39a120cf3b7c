import { createHash } from "node:crypto";

/**
 * The signature of a thinking block, which clients send back unread. Equal texts have equal signatures;
 * nothing is proved by one, and none is checked.
 */
export function signatureOf(thinking: string): string {
  return createHash("sha256").update("thinking\n").update(thinking).digest("base64");
}
