import { createHash } from "node:crypto";
import { fromOpaqueReasoning, toOpaqueReasoning } from "../answers/opaque-reasoning.js";
import type { ThinkingDisplay } from "./thinking.js";

/**
 * The signature of a thinking block, which clients send back unread. Of a text that is not shown it is all that the
 * client has, so it carries the text: the model is given its thinking again in the next turn. Nothing is proved by one,
 * and none is checked.
 */
export function signatureOf(thinking: string, display: ThinkingDisplay): string {
  if (display === "omitted") return toOpaqueReasoning(thinking);
  return createHash("sha256").update("thinking\n").update(thinking).digest("base64");
}

/** What was thought, of a block that is sent back: its text, or that of its signature where it was not shown. */
export function thinkingOf(block: {
  readonly thinking: string;
  readonly signature?: string | null | undefined;
}): string {
  return block.thinking || (fromOpaqueReasoning(block.signature ?? "") ?? "");
}
