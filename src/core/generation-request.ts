import type { AdapterChoice } from "./adapters.js";
import type { ContentPart, MessageContent } from "./media.js";
import type { RequestedConstraint } from "./output-constraint.js";
import type { SamplingDefaults } from "./sampling-table.js";

/** A tool call made by the assistant. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments object, as the model wrote it: partial if the call was cut off. */
  readonly arguments: string;
}

/** One message of a conversation, with the role names of chat templates. */
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

/** One without media, or whose media are marked in its text: what a chat template reads. */
export type TextMessage = ChatMessage<string>;

/** A function that the model may call through the client. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON schema of the arguments object. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** The request's field that the schema comes from, for errors; absent: OpenAI's. */
  readonly parametersField?: string;
  /** Whether arguments must satisfy the schema even where the model is free to call or not. */
  readonly strict?: boolean;
  /** Absent: the schema says all about the arguments. */
  readonly larkParameter?: LarkParameter;
}

/** The only parameter of a function, where it is a text of a grammar; the schema says that it is a string. */
export interface LarkParameter {
  readonly name: string;
  /** In Lark's notation. */
  readonly grammar: string;
}

/** Whether tools are called, and which. */
export interface ToolUse {
  /** `required`: the answer consists of calls. */
  readonly demand: "optional" | "required";
  /** Names of the tools that may be called; absent: all of the prompt. */
  readonly callable?: readonly string[];
  /** How many calls there may be; absent: as many as the model's family can write. */
  readonly calls?: "one";
}

/** A conversation that a chat template reads. */
export type TextChatPrompt = ChatPrompt<TextMessage>;

/** The conversation that the model continues. */
export interface ChatPrompt<Message extends ChatMessage = ChatMessage> {
  readonly type: "chat";
  readonly messages: readonly Message[];
  /** Tools that the model may call; empty: text answers only. */
  readonly tools: readonly ToolDefinition[];
  /** Extra variables for the model's chat template, e.g. `enable_thinking`. */
  readonly templateVariables: Readonly<Record<string, unknown>>;
  /**
   * What becomes of a final assistant message without tool calls: it is `continued`, the default, or
   * `closed`, and the answer is a message of its own.
   */
  readonly finalMessage?: "continued" | "closed";
}

/** Where a prompt without messages comes from. */
interface PromptOrigin {
  /** The request's field, for errors; absent: `prompt`. */
  readonly field?: string;
}

/** A text that the model continues. Names of control tokens in it are these tokens. */
export interface TextPrompt extends PromptOrigin {
  readonly type: "text";
  readonly text: string;
}

/** Tokens that the model continues, as they are. */
export interface TokenPrompt extends PromptOrigin {
  readonly type: "tokens";
  readonly tokens: readonly number[];
}

/** Texts and token ids one after the other, each read as above. */
export interface MixedPrompt extends PromptOrigin {
  readonly type: "mixed";
  readonly parts: readonly (string | number)[];
}

/** Media among texts that the model continues. Names of control tokens in the texts are these tokens. */
export interface MediaPrompt extends PromptOrigin {
  readonly type: "media";
  readonly parts: readonly ContentPart[];
}

/** A gap that the model fills, where it has been trained to. Control tokens are not read in its texts. */
export interface InfillPrompt extends PromptOrigin {
  readonly type: "infill";
  readonly prefix: string;
  readonly suffix: string;
  /** The request's field that the suffix comes from, for errors. */
  readonly suffixField: string;
  /** Other files that belong to it; absent: none. */
  readonly files?: readonly { readonly name: string; readonly text: string }[];
}

/** What the model continues without a chat template; all that it writes is text. */
export type RawPrompt = TextPrompt | TokenPrompt | MixedPrompt | MediaPrompt | InfillPrompt;

/**
 * Sampling of the next token. Absent values default to the model's, then to llama.cpp's: what a client turns off is given
 * as off.
 */
export type SamplingParameters = SamplingDefaults & {
  readonly seed?: number | undefined;
  /** Bias added to the logit of a token id; −Infinity forbids the token. */
  readonly logitBias?: ReadonlyMap<number, number> | undefined;
};

/** What a model's answers are generated with where their requests are silent. Plain data. */
export interface GenerationDefaults {
  readonly sampling: SamplingDefaults;
  /** Maximum number of tokens to generate; absent: what a request's dialect says, or as many as fit. */
  readonly maxTokens?: number | undefined;
}

/** When a generation ends. */
export interface StoppingParameters {
  /**
   * Maximum number of tokens to generate; absent: the model's default. 0: the prompt is evaluated, and nothing is
   * generated. Infinity: as many as fit into the context.
   */
  readonly maxTokens?: number;
  /** What holds where neither request nor model has a limit; absent: as many as fit. */
  readonly usualMaxTokens?: number;
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

/** How long the reasoning of an answer may be. */
export interface ReasoningBudget {
  /** Tokens between the marks, in all of the answer's reasoning; when they are used, it is closed. */
  readonly maxTokens: number;
  /** Text that is put at the end of reasoning that the budget closes. */
  readonly message?: string;
}

/** What a running generation tells of itself. */
export interface ProgressReporting {
  /** How far its prompt is evaluated. Absent: it is not told. */
  readonly prompt?: "with-each-slice";
  /** Its timings so far. Absent: they come at the end alone. */
  readonly timings?: "with-each-text";
}

/**
 * A generation request, independent of API dialects. Plain data: it may cross a process boundary.
 */
export interface GenerationRequest {
  /** Unique among the requests in flight; used for cancellation. */
  readonly id: string;
  readonly prompt: ChatPrompt | RawPrompt;
  readonly sampling: SamplingParameters;
  readonly stopping: StoppingParameters;
  /** Number of answers, generated independently of each other; absent: one. */
  readonly choices?: number;
  /** The number of most probable tokens to report for each token, 0 to 20; absent: none at all. */
  readonly topLogProbabilities?: number;
  /**
   * `after-sampling`: the log-probabilities are those that tokens are drawn with, after all sampling
   * parameters; tokens that are impossible are not reported. Absent: they are the model's own.
   */
  readonly logProbabilities?: "after-sampling";
  /**
   * Whose log-probabilities are reported, if any are. `all`, for prompts without messages: of every token of
   * the prompt and of the answer, also of those that are no text. Absent: of the tokens of the answer's text.
   */
  readonly scoredTokens?: "answer-text" | "all";
  /** Reports while it runs, beside what it generates; absent: none. */
  readonly progress?: ProgressReporting;
  /** Absent: reasoning is as long as the model makes it. */
  readonly reasoningBudget?: ReasoningBudget;
  /** Absent: the tools of the prompt may be called. */
  readonly toolUse?: ToolUse;
  /** Absent: the answer is free. */
  readonly constraint?: RequestedConstraint;
  /** Text that the client expects much of the answer to repeat. */
  readonly prediction?: string;
  /** The LoRA adapters that it is answered with; absent: those that are used by default. */
  readonly adapters?: readonly AdapterChoice[];
  /** The slot that it takes if that is idle; absent: the one that suits its prompt best. */
  readonly slot?: number;
  /** Of two requests the one with the smaller number comes first; absent: 0. See `queue/fair-queue.ts`. */
  readonly priority?: number;
  /**
   * `anew`: all of the prompt, whatever is held of it, and then one token after the other, without drafts and
   * without forced text in advance. What is evaluated in which batch then depends on the request alone while
   * no other one runs, and so does rounding. Absent: as it is quickest.
   */
  readonly evaluation?: "anew";
}

/** A request that continues a conversation. */
export type ChatGenerationRequest = GenerationRequest & { readonly prompt: ChatPrompt };

/** A request that continues a text. */
export type RawGenerationRequest = GenerationRequest & { readonly prompt: RawPrompt };

/** What an engine tells of a request that it has prepared: its prompt is tokenised and fits. Plain data. */
export interface PreparedRequest {
  /** Of the request. */
  readonly id: string;
  readonly promptTokens: number;
  /** Maximum number of tokens to generate, capped at the context left after the prompt. */
  readonly maxTokens: number;
}

/** One of the answers to a prepared request. Plain data. */
export interface GenerationStart {
  /** Unique among the generations in flight; used for cancellation. */
  readonly id: string;
  /** Id of the request. */
  readonly requestId: string;
  /** Position among the choices of the request, which is added to the seed; absent: 0. */
  readonly choice?: number;
  readonly seed: number;
  /**
   * The name of the request's API key. Usage counts as cached only tokens that the key's own requests account for.
   * Absent: the server has no keys.
   */
  readonly owner?: string;
  /** The answer begins with these tokens: an engine that was lost has generated them. Absent: it is new. */
  readonly resumedTokens?: readonly number[];
}
