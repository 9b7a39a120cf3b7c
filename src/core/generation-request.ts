import type { AdapterChoice } from "./adapters.js";
import type { ContentPart, MediaAmount, MessageContent } from "./media.js";
import type { RequestedConstraint } from "./output-constraint.js";
import type { SamplingDefaults } from "./sampling-table.js";

/** Tool call made by the assistant. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /**
   * JSON text of the arguments object, as the model wrote it; partial if the call was truncated.
   */
  readonly arguments: string;
}

/** Message of a conversation, with the role names of chat templates. */
export type ChatMessage<Content extends MessageContent = MessageContent> =
  | { readonly role: "system" | "user"; readonly content: Content; readonly name?: string }
  | {
      readonly role: "assistant";
      readonly content: string;
      readonly reasoning?: string;
      readonly toolCalls?: readonly ToolCall[];
    }
  | {
      readonly role: "tool";
      readonly content: Content;
      readonly toolCallId?: string;
      readonly name?: string;
    };

/** Message without media, or with its media marked in the text: the input of a chat template. */
export type TextMessage = ChatMessage<string>;

/** Function that the model may call through the client. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments object. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Request field that the schema comes from, for errors; absent: OpenAI's field. */
  readonly parametersField?: string;
  /** Whether arguments must satisfy the schema even if calling the tool is optional. */
  readonly strict?: boolean;
  /**
   * The parameter that a Lark grammar constrains; absent if the schema fully describes the
   * arguments.
   */
  readonly larkParameter?: LarkParameter;
  /**
   * `in-history`: a message defines the tool, so that the template does not list it. Absent: the
   * template lists it.
   */
  readonly definition?: "in-history";
}

/**
 * The only parameter of a function, if it is a text that a grammar constrains; in the schema it is
 * a string.
 */
export interface LarkParameter {
  readonly name: string;
  /** Grammar in Lark's notation. */
  readonly grammar: string;
}

/** Whether tools are called, and which ones. */
export interface ToolUse {
  /** `required`: the answer consists of tool calls. */
  readonly demand: "optional" | "required";
  /** Names of the callable tools; absent: all tools of the prompt. */
  readonly callable?: readonly string[];
  /** Maximum number of calls; absent: as many as the model family can write. */
  readonly calls?: "one";
}

/** Conversation that a chat template renders. */
export type TextChatPrompt = ChatPrompt<TextMessage>;

/** Conversation that the model continues. */
export interface ChatPrompt<Message extends ChatMessage = ChatMessage> {
  readonly type: "chat";
  readonly messages: readonly Message[];
  /** Tools that the model may call; empty: text answers only. */
  readonly tools: readonly ToolDefinition[];
  /** Extra variables for the model's chat template, e.g. `enable_thinking`. */
  readonly templateVariables: Readonly<Record<string, unknown>>;
  /**
   * Handling of a final assistant message without tool calls: `continued` (default) extends it;
   * `closed` ends it, and the answer is a separate message.
   */
  readonly finalMessage?: "continued" | "closed";
}

/** Origin of a prompt without messages. */
interface PromptOrigin {
  /** Request field, for errors; absent: `prompt`. */
  readonly field?: string;
}

/** Text that the model continues. Names of control tokens in it are parsed as control tokens. */
export interface TextPrompt extends PromptOrigin {
  readonly type: "text";
  readonly text: string;
}

/** Tokens that the model continues, unchanged. */
export interface TokenPrompt extends PromptOrigin {
  readonly type: "tokens";
  readonly tokens: readonly number[];
}

/**
 * Sequence of texts and token ids, interpreted as in {@link TextPrompt} and {@link TokenPrompt}.
 */
export interface MixedPrompt extends PromptOrigin {
  readonly type: "mixed";
  readonly parts: readonly (string | number)[];
}

/**
 * Texts and media that the model continues. Names of control tokens in the texts are parsed as
 * control tokens.
 */
export interface MediaPrompt extends PromptOrigin {
  readonly type: "media";
  readonly parts: readonly ContentPart[];
}

/**
 * Gap that the model fills, if it was trained to. Names of control tokens in its texts are not
 * parsed.
 */
export interface InfillPrompt extends PromptOrigin {
  readonly type: "infill";
  readonly prefix: string;
  readonly suffix: string;
  /** Request field that the suffix comes from, for errors. */
  readonly suffixField: string;
  /** Other files of the same project; absent: none. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
}

/** Prompt that the model continues without a chat template; all output is text. */
export type RawPrompt = TextPrompt | TokenPrompt | MixedPrompt | MediaPrompt | InfillPrompt;

/**
 * Sampling of the next token. Absent values default to the model's, then to llama.cpp's, so a
 * sampler that a client disables is given explicitly as disabled.
 */
export type SamplingParameters = SamplingDefaults & {
  readonly seed?: number | undefined;
  /** Bias added to the logit of a token id; −Infinity forbids the token. */
  readonly logitBias?: ReadonlyMap<number, number> | undefined;
};

/** Default generation parameters of a model, for values that a request leaves out. Plain data. */
export interface GenerationDefaults {
  readonly sampling: SamplingDefaults;
  /**
   * Maximum number of tokens to generate; absent: the default of the request's dialect, or as many
   * as fit.
   */
  readonly maxTokens?: number | undefined;
  /** Seed of requests without one; absent: a random one for each. */
  readonly seed?: number | undefined;
}

/** When a generation ends. */
export interface StoppingParameters {
  /**
   * Maximum number of tokens to generate; absent: the model's default. 0: the prompt is evaluated,
   * and nothing is generated. Infinity: as many as fit into the context.
   */
  readonly maxTokens?: number;
  /** Limit if neither the request nor the model has one; absent: as many as fit. */
  readonly usualMaxTokens?: number;
  /** Upper bound of all these limits, which the key of the request sets; absent: none. */
  readonly maxTokensCeiling?: number;
  /** Request field of the maximum, for errors; absent: `max_tokens`. */
  readonly maxTokensField?: string;
  /** Tokens to generate before an end-of-generation token or a stop sequence takes effect. */
  readonly minTokens: number;
  /** Stop sequences; they are not part of the answer. */
  readonly stop: readonly string[];
  /** Token ids that end the answer like the model's end-of-generation tokens. */
  readonly stopTokens?: readonly number[];
  /** Forbids the model's end-of-generation tokens, as benchmarks require. */
  readonly ignoreEos: boolean;
  /** Number of tool calls after which the generation ends; absent: no limit. */
  readonly maxToolCalls?: number;
}

/** OpenAI's levels of reasoning effort, in ascending order. */
export const REASONING_EFFORTS = [
  "none",
  "minimal",
  "low",
  "medium",
  "high",
  "xhigh",
  "max",
] as const;

/** Length limit of an answer's reasoning. */
export interface ReasoningBudget {
  /**
   * Maximum number of tokens between the reasoning marks, across all reasoning of the answer; at
   * the limit, the reasoning is closed.
   */
  readonly maxTokens: number;
  /** Text appended to reasoning that the budget closes. */
  readonly message?: string;
}

/** Permission to end the reasoning of a running answer: see `Engine.endReasoning`. */
export interface ReasoningControl {
  /** Text appended to reasoning that is ended, unless the budget has one. */
  readonly message?: string | undefined;
}

/** Progress that a running generation reports. */
export interface ProgressReporting {
  /** Reports prompt evaluation progress; absent: not reported. */
  readonly prompt?: "with-each-slice";
  /** Reports timings so far; absent: timings are reported only at the end. */
  readonly timings?: "with-each-text";
}

/** Largest magnitude of a priority, in seconds of waiting: a larger one would yield for weeks. */
export const MAX_PRIORITY = 1_000_000;

/** Generation request, independent of API dialects. Plain data: it may cross a process boundary. */
export interface GenerationRequest {
  /** Unique among the requests in flight; used for cancellation. */
  readonly id: string;
  readonly prompt: ChatPrompt | RawPrompt;
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
  /** Number of answers, generated independently of each other; absent: one. */
  readonly choices?: number;
  /**
   * Number of most probable tokens to report for each token, 0 to 20; absent: no log-probabilities.
   */
  readonly topLogProbabilities?: number;
  /**
   * `after-sampling`: log-probabilities from the final distribution that tokens are drawn from,
   * after all sampling parameters; impossible tokens are not reported. Absent: the model's own
   * log-probabilities.
   */
  readonly logProbabilities?: "after-sampling";
  /**
   * Tokens whose log-probabilities are reported, if any are. `all`, for prompts without messages:
   * every token of the prompt and of the answer, including tokens that are not text. Absent: the
   * tokens of the answer's text.
   */
  readonly scoredTokens?: "answer-text" | "all";
  /** Progress to report in addition to the generated output; absent: none. */
  readonly progress?: ProgressReporting;
  /** Reasoning budget; absent: unlimited reasoning. */
  readonly reasoningBudget?: ReasoningBudget;
  /** Absent: only the model and the budget end the reasoning. */
  readonly reasoningControl?: ReasoningControl;
  /** Tool use; absent: the tools of the prompt may be called. */
  readonly toolUse?: ToolUse;
  /** Constraint on the answer; absent: unconstrained. */
  readonly constraint?: RequestedConstraint;
  /** Text that the client expects much of the answer to repeat. */
  readonly prediction?: string;
  /** LoRA adapters to answer with; absent: the default adapters. */
  readonly adapters?: readonly AdapterChoice[];
  /** Slot to use if it is idle; absent: the slot that suits the prompt best. */
  readonly slot?: number;
  /** Scheduling priority; a smaller number comes first; absent: 0. See `queue/fair-queue.ts`. */
  readonly priority?: number;
  /**
   * Maximum number of tokens, prompt and answer together, which the key of the request sets;
   * absent: the model's context.
   */
  readonly maxContext?: number;
  /**
   * `anew`: evaluate the entire prompt, ignoring cached tokens, then decode one token at a time,
   * without drafts and without evaluating forced text in advance. If no other request runs, the
   * contents of each batch, and therefore rounding, then depend on this request alone. Absent: the
   * fastest evaluation.
   */
  readonly evaluation?: "anew";
}

/** Request that continues a conversation. */
export type ChatGenerationRequest = GenerationRequest & { readonly prompt: ChatPrompt };

/** Request that continues a prompt without messages. */
export type RawGenerationRequest = GenerationRequest & { readonly prompt: RawPrompt };

/** Result of preparing a request: its prompt is tokenised and fits. Plain data. */
export interface PreparedRequest {
  /** Id of the request. */
  readonly id: string;
  readonly promptTokens: number;
  /** Maximum number of tokens to generate, capped at the context left after the prompt. */
  readonly maxTokens: number;
  /** Media of the prompt; absent: none. */
  readonly media?: MediaAmount;
}

/** Generation of one answer to a prepared request. Plain data. */
export interface GenerationStart {
  /** `batch`: of a batch; leaves the engine to all other generations. Absent: interactive. */
  readonly class?: "batch";
  /** Unique among the generations in flight; used for cancellation. */
  readonly id: string;
  readonly requestId: string;
  /** Position among the choices of the request, which is added to the seed; absent: 0. */
  readonly choice?: number;
  readonly seed: number;
  /**
   * Name of the request's API key. Usage counts as cached only tokens that the key's own requests
   * account for. Absent: the server has no keys.
   */
  readonly owner?: string;
  /**
   * Tokens that the answer begins with, which an engine generated before it exited. Absent: the
   * answer is new.
   */
  readonly resumedTokens?: readonly number[];
}
