import type { ChatPrompt } from "../../../core/generation-request.js";
import type { OutputFormat, ReasoningFormat } from "../../../core/output-format.js";
import { renderedReasoning } from "../output/choose-output-format.js";
import { CONVENTIONS } from "../output/conventions/conventions.js";
import {
  closesReasoning,
  opensReasoning,
  REASONING_MARKS,
} from "../output/conventions/reasoning-marks.js";
import type { OutputReading } from "../output/output-reading.js";
import { readableTool } from "../output/readable-tool.js";
import { controlTokenPattern } from "../vocabulary/control-token-pattern.js";
import type { Vocabulary } from "../vocabulary/vocabulary.js";
import { isWithoutThinking } from "./answer-form.js";
import { begunMessage, type ChatTemplate } from "./chat-template.js";
import { type PromptLimits, refuseOversizedPrompt, refuseOversizedText } from "./context-length.js";
import { ControlTokenGuard } from "./control-token-guard.js";
import type { EncodedPrompt } from "./prepare-generation.js";
import { withBos } from "./with-bos.js";

export interface PromptTokenizerOptions {
  readonly template: ChatTemplate;
  readonly outputFormat: OutputFormat;
  /** Tokens of one slot: longer prompts are rejected as early as possible. */
  readonly contextSize: number;
}

/** Renders and tokenises conversations. */
export class PromptTokenizer {
  /** Whether the template shows that its model reasons. */
  readonly rendersReasoning: boolean;
  readonly #vocabulary: Vocabulary;
  readonly #template: ChatTemplate;
  readonly #outputFormat: OutputFormat;
  readonly #limits: PromptLimits;
  readonly #controlTokens: RegExp | undefined;

  constructor(
    vocabulary: Vocabulary,
    { template, outputFormat, contextSize }: PromptTokenizerOptions,
  ) {
    this.#vocabulary = vocabulary;
    this.#template = template;
    this.#outputFormat = outputFormat;
    this.rendersReasoning =
      renderedReasoning((prompt) => template.renderProbe(prompt)) !== undefined;
    this.#limits = { contextSize, longestToken: vocabulary.longestToken };
    this.#controlTokens = controlTokenPattern(vocabulary.controlTexts);
  }

  /**
   * Renders and tokenises a conversation, with exactly one BOS for models that use one.
   * @throws {GgufdError} `context_length_exceeded` for prompts that certainly do not fit,
   *   `chat_template_error`
   */
  encode(asked: ChatPrompt): EncodedPrompt {
    const { prompt, rendered, guard } = this.#render(asked);
    const tokens = guard
      .release(rendered)
      .flatMap(({ text, controlTokens }) => this.#vocabulary.tokenize(text, controlTokens));
    return {
      tokens: withBos(tokens, this.#vocabulary),
      reading: {
        ...this.#outputFormat,
        beginsWith: this.#beginningOfAnswer(prompt, rendered),
        toolCalls: prompt.tools.length > 0 ? "parsed" : "ignored",
        tools: prompt.tools.map(readableTool),
      },
    };
  }

  /**
   * The text that a conversation renders to, with what the client wrote as it is.
   * @throws {GgufdError} as {@link encode}
   */
  render(asked: ChatPrompt): string {
    const { rendered, guard } = this.#render(asked);
    return guard
      .release(rendered)
      .map(({ text }) => text)
      .join("");
  }

  #render(asked: ChatPrompt) {
    refuseOversizedPrompt(asked, this.#limits);
    const prompt = this.#template.continuesReasoning
      ? withBegunReasoning(asked, this.#outputFormat.reasoning)
      : asked;
    const guard = new ControlTokenGuard(this.#controlTokens);
    const rendered = this.#template.render(
      prompt,
      (text) => guard.guard(text),
      this.#outputFormat.convention === "generic" ? "described" : "listed",
    );
    refuseOversizedText(rendered, this.#limits);
    return { prompt, rendered, guard };
  }

  #beginningOfAnswer(prompt: ChatPrompt, rendered: string): OutputReading["beginsWith"] {
    const { content = "", reasoning = "" } = begunMessage(prompt) ?? {};
    if (content !== "") return "text";
    const isReasoning = reasoning !== "" && this.#template.continuesReasoning;
    const { convention, reasoning: format } = this.#outputFormat;
    if (isReasoning || opensReasoning(rendered, format)) return "reasoning";
    const { contentMarks } = CONVENTIONS[convention];
    const isLeftToModel =
      this.rendersReasoning &&
      !closesReasoning(rendered, format, contentMarks) &&
      !isWithoutThinking(rendered, this.#template.answerForm);
    return isLeftToModel ? "optional-reasoning" : "anything";
  }
}

/**
 * A prompt whose last answer, if it is to be continued, has its reasoning in a field of its own: clients that know
 * no such field write it between the model's marks, and leave it open if it is to go on.
 */
function withBegunReasoning(prompt: ChatPrompt, format: ReasoningFormat): ChatPrompt {
  const begun = begunMessage(prompt);
  const { open, close } = REASONING_MARKS[format];
  if (begun === undefined || begun.reasoning !== undefined) return prompt;
  const written = begun.content.trimStart();
  if (!written.startsWith(open)) return prompt;
  const answer = separated(written.slice(open.length), close);
  if (answer === undefined) return prompt;
  return { ...prompt, messages: [...prompt.messages.slice(0, -1), { ...begun, ...answer }] };
}

interface SeparatedAnswer {
  readonly reasoning: string;
  readonly content: string;
}

/** @returns `undefined`: there is no reasoning to go on with, nor text after some */
function separated(written: string, close: string): SeparatedAnswer | undefined {
  const end = written.indexOf(close);
  if (end < 0) {
    const reasoning = written.replace(/^\n(?=.)/s, "");
    return reasoning === "" ? undefined : { reasoning, content: "" };
  }
  const reasoning = written.slice(0, end).trim();
  const content = written.slice(end + close.length).trimStart();
  return reasoning === "" || content === "" ? undefined : { reasoning, content };
}
