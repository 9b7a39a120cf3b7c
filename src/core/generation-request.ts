/** A call of a tool that the assistant made in an earlier turn. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments object, as the model wrote it. */
  readonly arguments: string;
}

/** One turn of a conversation, in the words that chat templates use. */
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

/** A function that the model may ask the client to call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments object. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** What the model is asked to continue: a conversation. */
export interface ChatPrompt {
  readonly messages: readonly ChatMessage[];
  /** Tools that the model may call; none: it answers in text. */
  readonly tools: readonly ToolDefinition[];
  /** Extra variables for the model's chat template, e.g. `enable_thinking`. */
  readonly templateVariables: Readonly<Record<string, unknown>>;
}

/** How the next token is drawn. Absent values fall back to the model's, then to the server's. */
export interface SamplingParameters {
  /** 0 is greedy decoding. */
  readonly temperature?: number;
  /** Nucleus: keep the likeliest tokens that sum up to this probability, 0–1. */
  readonly topP?: number;
  /** Keep the K likeliest tokens; 0 keeps all. */
  readonly topK?: number;
  /** Keep tokens at least this likely relative to the likeliest one, 0–1. */
  readonly minP?: number;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  /** 1 is off. */
  readonly repetitionPenalty?: number;
  /** Added to the logit of a token id; −Infinity forbids the token. */
  readonly logitBias?: ReadonlyMap<number, number>;
}

/** When a generation ends. */
export interface StoppingParameters {
  /** Most tokens to generate; absent: as many as fit into the context. */
  readonly maxTokens?: number;
  /** Tokens to generate before the model or a stop string may end the text. */
  readonly minTokens: number;
  /** Texts that end the generation; they are not part of the answer. */
  readonly stop: readonly string[];
  /** Forbids the model's end-of-generation tokens, as benchmarks ask. */
  readonly ignoreEos: boolean;
  /** Tool calls after which the generation ends; absent: the model ends it. */
  readonly maxToolCalls?: number;
}

/** One text to generate, free of any API dialect. Plain data: it may cross a process boundary. */
export interface GenerationRequest {
  /** Unique among the requests in flight; cancellation names it. */
  readonly id: string;
  readonly prompt: ChatPrompt;
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
}

/** What the prompt says about the answer's text. Plain data. */
export interface OutputReading {
  /** `reasoning`: the prompt has opened the reasoning already. */
  readonly beginsWith: "anything" | "reasoning";
  /** `ignored`: tool calls are text like any other. */
  readonly toolCalls: "parsed" | "ignored";
}

/** A request whose prompt is tokenised and known to fit. Plain data. */
export interface PreparedGeneration {
  readonly id: string;
  readonly promptTokens: readonly number[];
  /** How the answer's text is to be read. */
  readonly reading: OutputReading;
  /** Tokens to generate at most, already cut to what fits beside the prompt. */
  readonly maxTokens: number;
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
}
