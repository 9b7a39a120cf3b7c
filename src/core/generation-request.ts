/** A tool call made by the assistant. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments object, as the model wrote it. */
  readonly arguments: string;
}

/** One message of a conversation, with the role names of chat templates. */
export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string; readonly name?: string }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly reasoning?: string;
      readonly toolCalls?: readonly ToolCall[];
    }
  | {
      readonly role: "tool";
      readonly content: string;
      readonly toolCallId?: string;
      readonly name?: string;
    };

/** A function that the model may call through the client. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments object. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** The conversation that the model continues. */
export interface ChatPrompt {
  readonly messages: readonly ChatMessage[];
  /** Tools that the model may call; empty: text answers only. */
  readonly tools: readonly ToolDefinition[];
  /** Extra variables for the model's chat template, e.g. `enable_thinking`. */
  readonly templateVariables: Readonly<Record<string, unknown>>;
}

/** Sampling of the next token. Absent values default to the model's, then to the server's. */
export interface SamplingParameters {
  /** 0 is greedy decoding. */
  readonly temperature?: number;
  /** Nucleus sampling: keep the most likely tokens up to this cumulative probability, 0–1. */
  readonly topP?: number;
  /** Keep the K most likely tokens; 0 keeps all. */
  readonly topK?: number;
  /** Minimum probability relative to the most likely token, 0–1. */
  readonly minP?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  /** 1 is off. */
  readonly repetitionPenalty?: number;
  /** Bias added to the logit of a token id; −Infinity forbids the token. */
  readonly logitBias?: ReadonlyMap<number, number>;
}

/** When a generation ends. */
export interface StoppingParameters {
  /** Maximum number of tokens to generate; absent: as many as fit into the context. */
  readonly maxTokens?: number;
  /** Tokens to generate before an end-of-generation token or a stop sequence takes effect. */
  readonly minTokens: number;
  /** Stop sequences; they are not part of the answer. */
  readonly stop: readonly string[];
  /** Forbids the model's end-of-generation tokens, as benchmarks require. */
  readonly ignoreEos: boolean;
  /** Number of tool calls after which the generation ends; absent: no limit. */
  readonly maxToolCalls?: number;
}

/**
 * A generation request, independent of API dialects. Plain data: it may cross a process boundary.
 */
export interface GenerationRequest {
  /** Unique among the requests in flight; used for cancellation. */
  readonly id: string;
  readonly prompt: ChatPrompt;
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
}

/** How the generated text is parsed, as determined by the prompt. Plain data. */
export interface OutputReading {
  /** `reasoning`: the prompt ends inside an open reasoning block. */
  readonly beginsWith: "anything" | "reasoning";
  /** `ignored`: tool calls are returned as plain text. */
  readonly toolCalls: "parsed" | "ignored";
}

/** A request whose prompt is tokenised and fits into the context. Plain data. */
export interface PreparedGeneration {
  readonly id: string;
  readonly promptTokens: readonly number[];
  /** How the generated text is parsed. */
  readonly reading: OutputReading;
  /** Maximum number of tokens to generate, capped at the context left after the prompt. */
  readonly maxTokens: number;
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
}
