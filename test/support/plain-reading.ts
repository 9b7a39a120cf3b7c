import type { OutputReading } from "../../src/engine/text/output/output-reading.js";

/** A reading of outputs as plain text, except for a `<think>` block at their beginning. */
export const plainReading: OutputReading = {
  convention: "hermes",
  reasoning: "think",
  beginsWith: "anything",
  toolCalls: "ignored",
  tools: [],
};
