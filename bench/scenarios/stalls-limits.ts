/**
 * What ggufd accepts as a chat request (docs/api.md). The worst bodies are as large as these limits
 * allow, or a cheap way to exceed them by far.
 */
import { MAX_JSON_DEPTH } from "../../src/core/json-size.js";

export const limits = {
  /** `--max-body`, by default. */
  bytes: 4 * 1024 * 1024,
  /** JSON values in a body: `MAX_JSON_VALUES` of `src/http/json-body.ts`. */
  values: 40_000,
  /** Levels of nesting. */
  depth: MAX_JSON_DEPTH,
  // The bounds of collections in `src/api/openai/schema.ts`.
  messages: 10_000,
  /** Text parts of one message. */
  parts: 1_000,
  /** Tool calls of one message. */
  toolCalls: 1_000,
  tools: 1_000,
  logitBiases: 10_000,
  templateVariables: 1_000,
} as const;
