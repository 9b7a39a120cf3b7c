/**
 * Conventions in which model families write tool calls. The name is that of the family which made a
 * convention known; others share it (docs/tools.md).
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

/** Ways in which models set their reasoning apart. */
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

/** How a model writes what is not plain text. Plain data. */
export interface OutputFormat {
  readonly convention: ToolConvention;
  readonly reasoning: ReasoningFormat;
}

/** The types of JSON values, as JSON Schema names them. */
export type JsonType = "string" | "number" | "boolean" | "null" | "object" | "array";

/** What the reader of an output needs to know about a tool. */
export interface ReadableTool {
  readonly name: string;
  /**
   * Types that a parameter's value may have by the tool's schema: families that write parameters as
   * plain text leave open whether `1` is a number. Parameters of any type are absent.
   */
  readonly parameters: readonly ReadableMember[];
}

/** What is known about a value by its schema. */
export interface ReadableValue {
  /** Types that it may have. */
  readonly types: readonly JsonType[];
  /** Members of an object, as far as something is known about them. */
  readonly members?: readonly ReadableMember[];
  /** Items of an array. */
  readonly items?: ReadableValue;
}

export interface ReadableMember extends ReadableValue {
  readonly name: string;
}
