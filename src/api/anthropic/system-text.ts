import type { TextContent } from "./content-schema.js";

/**
 * The first line of Claude Code's system prompt, meant for Anthropic's accounting. It differs in every
 * request, so that no prompt would begin like the one before it.
 */
const ACCOUNTING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/** The system prompt. */
export function toSystemText(system: TextContent): string {
  const texts = typeof system === "string" ? [system] : system.map(({ text }) => text);
  return texts
    .map((text) => text.replace(ACCOUNTING_LINE, ""))
    .filter((text) => text !== "")
    .join("\n");
}
