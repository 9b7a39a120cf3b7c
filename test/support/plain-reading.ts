import type { OutputReading } from "../../src/core/generation-request.js";

/** A reading of outputs as plain text, but for a `<think>` block at their beginning. */
export const plainReading: OutputReading = {
  convention: "hermes",
  reasoning: "think",
  beginsWith: "anything",
  toolCalls: "ignored",
  tools: [],
};
