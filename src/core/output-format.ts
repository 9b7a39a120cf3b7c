/**
 * Conventions in which model families write tool calls. Each is named after the family that
 * introduced it; other families share it (docs/tools.md).
 */
export const TOOL_CONVENTIONS = [
  "hermes",
  "qwen3-coder",
  "glm",
  "llama3",
  "mistral-list",
  "mistral-args",
  "mistral-call-id",
  "deepseek-v3",
  "deepseek-v3.1",
  "deepseek-v3.2",
  "deepseek-v4",
  "gpt-oss",
  "gemma4",
  "functionary-v3.1",
  "functionary-v3.2",
  "command-r",
  "command-r7b",
  "granite",
  "phi4",
  "kimi-k2",
  "kimi-k3",
  "minimax-m1",
  "minimax-m2",
  "minimax-m3",
  "muse-glimmer",
  "lfm2",
  "nemotron",
  "apertus",
  "apriel",
  "firefunction",
  "gigachat",
  "gigachat-3.1",
  "hunyuan",
  "minicpm5",
  "seed",
  "solar",
  "generic",
] as const;

export type ToolConvention = (typeof TOOL_CONVENTIONS)[number];

/** `auto`: the convention that the model's chat template writes. */
export const TOOL_FORMATS = ["auto", ...TOOL_CONVENTIONS] as const;

export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** Formats in which models delimit their reasoning. */
export const REASONING_FORMATS = [
  "think",
  "thinking",
  "think-brackets",
  "seed-think",
  "minimax-think",
  "hunyuan-think",
  "start-thinking",
  "thought-channel",
  "think-section",
  "think-message",
  "self-message",
  "reasoning-steps",
  "analysis-channel",
] as const;

export type ReasoningFormat = (typeof REASONING_FORMATS)[number];

/** Format of model output other than plain text. Plain data. */
export interface OutputFormat {
  readonly convention: ToolConvention;
  readonly reasoning: ReasoningFormat;
}

/** The types of JSON values, as JSON Schema names them. */
export type JsonType = "string" | "number" | "boolean" | "null" | "object" | "array";

/** Properties of a tool that the output parser needs. */
export interface ReadableTool {
  readonly name: string;
  /**
   * Types that a parameter's value may have by the tool's schema: families that write parameters as
   * plain text leave open whether `1` is a number. Parameters of any type are absent.
   */
  readonly parameters: readonly ReadableMember[];
}

/** Properties of a value that its schema defines. */
export interface ReadableValue {
  /** Types that the value may have. */
  readonly types: readonly JsonType[];
  /** Members of an object, as far as the schema describes them. */
  readonly members?: readonly ReadableMember[];
  /** Items of an array. */
  readonly items?: ReadableValue;
}

export interface ReadableMember extends ReadableValue {
  readonly name: string;
}
