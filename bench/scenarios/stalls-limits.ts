/**
 * Limits of ggufd's chat requests (docs/api.md). The worst bodies are as large as these limits
 * allow, or a cheap way to exceed them by far.
 */
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS, MAX_JSON_VALUES } from "../../src/core/json-size.js";
import { MAX_MESSAGES } from "../../src/core/prompt-size.js";

export const limits = {
  /** Default of `--max-body`. */
  bytes: 4 * 1024 * 1024,
  /** JSON values in a body. */
  values: MAX_JSON_VALUES,
  /** Members of an object in a body. */
  members: MAX_JSON_MEMBERS,
  /** Levels of nesting. */
  depth: MAX_JSON_DEPTH,
  // Bounds of collections, from `src/api/openai/schema.ts`.
  messages: MAX_MESSAGES,
  /** Text parts of one message. */
  parts: 1_000,
  /** Tool calls of one message. */
  toolCalls: 1_000,
  tools: 1_000,
  logitBiases: 10_000,
  templateVariables: 1_000,
} as const;
