import assert from "node:assert/strict";
import { createRefusal } from "../../../core/errors.js";
import type {
  ChatPrompt,
  InfillPrompt,
  MediaPrompt,
  MixedPrompt,
  RawPrompt,
  TextChatPrompt,
  TextMessage,
} from "../../../core/generation-request.js";
import {
  type ChunkedMedia,
  MEDIA_MARKER,
  type MediaPart,
  mediaOf,
  type PlacedMedia,
  partsOf,
  placeMedia,
} from "../../../core/media.js";
import type { OutputFormat, ReasoningFormat } from "../../../core/output-format.js";
import type { PromptEnding } from "../../../core/text-question.js";
import { detectReasoning } from "../output/choose-output-format.js";
import { CONVENTIONS } from "../output/conventions/conventions.js";
import {
  closesReasoning,
  opensReasoning,
  REASONING_MARKS,
} from "../output/conventions/reasoning-marks.js";
import type { OutputReading } from "../output/output-reading.js";
import { toReadableTool } from "../output/readable-tool.js";
import { buildControlTokenPattern } from "../vocabulary/control-tokens.js";
import type { InfillTokens, Vocabulary } from "../vocabulary/vocabulary.js";
import { isWithoutThinking } from "./answer-form.js";
import { type ChatTemplate, findContinuedMessage } from "./chat-template.js";
import { ControlTokenGuard, type RenderedSegment } from "./control-token-guard.js";
import type { EncodedPrompt } from "./prepared-generation.js";
import {
  type PromptLimits,
  rejectOversizedPrompt,
  rejectOversizedText,
  rejectUnknownTokens,
} from "./prompt-limits.js";

export interface PromptTokenizerOptions {
  readonly template: ChatTemplate;
  readonly outputFormat: OutputFormat;
  /** Tokens per slot; longer prompts are rejected as early as possible. */
  readonly contextSize: number;
  /** System message for conversations without one; absent to leave them unchanged. */
  readonly systemPrompt?: string | undefined;
  /** Variables of the template, which those of a conversation override. */
  readonly templateVariables?: ChatPrompt["templateVariables"];
}

/** Renders and tokenizes conversations. */
export class PromptTokenizer {
  /** Whether the template indicates that its model reasons. */
  readonly rendersReasoning: boolean;
  readonly #vocabulary: Vocabulary;
  readonly #template: ChatTemplate;
  readonly #outputFormat: OutputFormat;
  readonly #limits: PromptLimits;
  readonly #controlTokens: RegExp | undefined;
  readonly #systemPrompt: string | undefined;
  readonly #templateVariables: ChatPrompt["templateVariables"];

  constructor(
    vocabulary: Vocabulary,
    {
      template,
      outputFormat,
      contextSize,
      systemPrompt,
      templateVariables = {},
    }: PromptTokenizerOptions,
  ) {
    this.#vocabulary = vocabulary;
    this.#template = template;
    this.#outputFormat = outputFormat;
    this.#systemPrompt = systemPrompt;
    this.#templateVariables = templateVariables;
    this.rendersReasoning = detectReasoning((prompt) => template.renderProbe(prompt)) !== undefined;
    this.#limits = { contextSize, longestToken: vocabulary.longestToken };
    this.#controlTokens = buildControlTokenPattern(vocabulary.controlTexts);
  }

  /**
   * Renders and tokenizes a conversation, with exactly one BOS for models that use one.
   * @throws {GgufdError} `context_length_exceeded` for prompts that certainly do not fit,
   *   `chat_template_error`
   */
  encode(requested: ChatPrompt): EncodedPrompt {
    const { prompt, rendered, guard } = this.#render(requested);
    return {
      ...encodeSegments(guard.release(rendered), this.#vocabulary),
      reading: {
        ...this.#outputFormat,
        beginsWith: this.#determineBeginning(prompt, rendered),
        toolCalls: prompt.tools.length > 0 ? "parsed" : "ignored",
        tools: prompt.tools.map(toReadableTool),
      },
    };
  }

  /**
   * Renders a conversation to text, with the client's text unchanged.
   * @throws {GgufdError} as {@link encode}
   */
  render(requested: ChatPrompt, ending?: PromptEnding): string {
    const { rendered, guard } = this.#render(requested, ending);
    return guard
      .release(rendered)
      .map((segment) => (segment.type === "text" ? segment.text : MEDIA_MARKER))
      .join("");
  }

  #render(requested: ChatPrompt, ending?: PromptEnding) {
    rejectOversizedPrompt(requested, this.#limits);
    const guard = new ControlTokenGuard(this.#controlTokens);
    const templateVariables = { ...this.#templateVariables, ...requested.templateVariables };
    const markedPrompt = withMarkedMedia({ ...requested, templateVariables }, guard);
    const promptWithSystem = withSystemPrompt(markedPrompt, this.#systemPrompt);
    const prompt = this.#template.continuesReasoning
      ? extractContinuedReasoning(promptWithSystem, this.#outputFormat.reasoning)
      : promptWithSystem;
    const rendered = this.#template.render(
      prompt,
      (text) => guard.guard(text),
      this.#outputFormat.convention === "generic" ? "described" : "listed",
      ending,
    );
    rejectOversizedText(rendered, this.#limits);
    return { prompt, rendered, guard };
  }

  #determineBeginning(prompt: TextChatPrompt, rendered: string): OutputReading["beginsWith"] {
    const { content = "", reasoning = "" } = findContinuedMessage(prompt) ?? {};
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

/** Replaces the media of a conversation with markers in its texts. */
function withMarkedMedia(prompt: ChatPrompt, guard: ControlTokenGuard): TextChatPrompt {
  const messages = prompt.messages.map((message): TextMessage => {
    if (message.role === "assistant") return message;
    if (mediaOf(message.content).length === 0) return message as TextMessage;
    const texts = partsOf(message.content).map((part) =>
      part.type === "text" ? part.text : guard.mark(expectDividedMedia(part)),
    );
    return { ...message, content: texts.join("") };
  });
  return { ...prompt, messages };
}

function expectDividedMedia({ content, field }: MediaPart): ChunkedMedia {
  assert(content.type === "divided", `${field} must be chunked before it is tokenised`);
  return content;
}

/** Joins the tokens and media of a prompt, with exactly one BOS for models that use one. */
function encodeSegments(
  segments: readonly RenderedSegment[],
  vocabulary: Vocabulary,
): Omit<EncodedPrompt, "reading"> {
  const pieces = segments.flatMap((segment) =>
    segment.type === "text"
      ? [
          {
            type: "tokens" as const,
            tokens: vocabulary.tokenize(segment.text, segment.controlTokens),
          },
        ]
      : segment.segments,
  );
  const cells: number[] = [];
  const media: PlacedMedia[] = [];
  const { prependedBos } = vocabulary;
  const [first] = pieces;
  if (first?.type === "media" && prependedBos !== undefined) cells.push(prependedBos);
  for (const segment of pieces) {
    if (segment.type === "media") {
      placeMedia({ cells, media }, segment);
    } else {
      const isFirst = cells.length === 0;
      for (const token of isFirst ? withBos(segment.tokens, vocabulary) : segment.tokens)
        cells.push(token);
    }
  }
  return { tokens: cells, media };
}

/** Adds the model's system message to a conversation without one, like Ollama. */
function withSystemPrompt(prompt: TextChatPrompt, content: string | undefined): TextChatPrompt {
  if (content === undefined || prompt.messages.some(({ role }) => role === "system")) return prompt;
  return { ...prompt, messages: [{ role: "system", content }, ...prompt.messages] };
}

/**
 * Moves the reasoning of a continued answer from its text to the reasoning field. Clients that do
 * not support this field send the reasoning at the beginning of the text, between the model's
 * marks; without a closing mark, the reasoning itself is continued.
 */
function extractContinuedReasoning(
  prompt: TextChatPrompt,
  format: ReasoningFormat,
): TextChatPrompt {
  const continuedMessage = findContinuedMessage(prompt);
  const { open, close } = REASONING_MARKS[format];
  if (continuedMessage === undefined || continuedMessage.reasoning !== undefined) return prompt;
  const answerText = continuedMessage.content.trimStart();
  if (!answerText.startsWith(open)) return prompt;
  const answer = separateReasoning(answerText.slice(open.length), close);
  if (answer === undefined) return prompt;
  return {
    ...prompt,
    messages: [...prompt.messages.slice(0, -1), { ...continuedMessage, ...answer }],
  };
}

interface SeparatedAnswer {
  readonly reasoning: string;
  readonly content: string;
}

/** @returns `undefined` if there is neither reasoning to continue nor text after it */
function separateReasoning(markedAnswer: string, close: string): SeparatedAnswer | undefined {
  const end = markedAnswer.indexOf(close);
  if (end < 0) {
    const reasoning = markedAnswer.replace(/^\n(?=.)/s, "");
    return reasoning === "" ? undefined : { reasoning, content: "" };
  }
  const reasoning = markedAnswer.slice(0, end).trim();
  const content = markedAnswer.slice(end + close.length).trimStart();
  return reasoning === "" || content === "" ? undefined : { reasoning, content };
}

export interface RawTokenizerOptions {
  readonly outputFormat: OutputFormat;
  /** Tokens per slot; longer prompts are rejected as early as possible. */
  readonly contextSize: number;
}

/** Tokenizes prompts without messages. */
export class RawTokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #limits: PromptLimits;
  readonly #reading: OutputReading;

  constructor(vocabulary: Vocabulary, { outputFormat, contextSize }: RawTokenizerOptions) {
    this.#vocabulary = vocabulary;
    this.#limits = { contextSize, longestToken: vocabulary.longestToken };
    this.#reading = { ...outputFormat, beginsWith: "raw-text", toolCalls: "ignored", tools: [] };
  }

  /**
   * Tokenizes a prompt. One that begins with text gets one BOS if the model uses one; token ids are
   * used as given.
   * @throws {GgufdError} `context_length_exceeded` for texts that certainly do not fit,
   *   `invalid_request` for unknown token ids, `unsupported_parameter` for infilling if the model
   *   does not support it
   */
  encode(prompt: RawPrompt): EncodedPrompt {
    const reading = this.#reading;
    if (prompt.type !== "media") return { tokens: this.#encodeTokens(prompt), reading };
    const { parts, field } = prompt;
    const texts = parts.map((part) => (part.type === "text" ? part.text : ""));
    rejectOversizedText(texts.join(""), this.#limits, field);
    const segments = parts.map((part) =>
      part.type === "text"
        ? { ...part, controlTokens: "parsed" as const }
        : expectDividedMedia(part),
    );
    return { ...encodeSegments(segments, this.#vocabulary), reading };
  }

  #encodeTokens(prompt: Exclude<RawPrompt, MediaPrompt>): readonly number[] {
    const { field = "prompt" } = prompt;
    switch (prompt.type) {
      case "text":
        rejectOversizedText(prompt.text, this.#limits, field);
        return withBos(this.#vocabulary.tokenize(prompt.text, "parsed"), this.#vocabulary);
      case "tokens":
        rejectUnknownTokens(prompt.tokens, this.#vocabulary.size, (index) => `${field}.${index}`);
        return prompt.tokens;
      case "mixed":
        return this.#encodeMixed(prompt, field);
      case "infill":
        rejectOversizedText(textsOf(prompt).join(""), this.#limits, field);
        return withBos(this.#encodeInfill(prompt), this.#vocabulary);
    }
  }

  #encodeMixed({ parts }: MixedPrompt, field: string): readonly number[] {
    const texts = parts.filter((part) => typeof part === "string");
    rejectOversizedText(texts.join(""), this.#limits, field);
    const tokens = parts.flatMap((part, index) => {
      if (typeof part === "string") return this.#vocabulary.tokenize(part, "parsed");
      rejectUnknownTokens([part], this.#vocabulary.size, () => `${field}.${index}`);
      return [part];
    });
    return typeof parts[0] === "string" ? withBos(tokens, this.#vocabulary) : tokens;
  }

  #encodeInfill({ prefix, suffix, suffixField, files = [] }: InfillPrompt): readonly number[] {
    const { infill } = this.#vocabulary;
    if (infill === undefined) {
      const reason = "this model has no tokens for infilling";
      throw createRefusal("unsupported_parameter", [{ field: suffixField, reason }]);
    }
    const tokenize = (text: string) => this.#vocabulary.tokenize(text, "literal");
    return [
      ...(files.length > 0 ? encodeFiles(files, infill, tokenize) : []),
      infill.prefix,
      ...tokenize(prefix),
      infill.suffix,
      ...tokenize(suffix),
      infill.middle,
    ];
  }
}

function textsOf({ prefix, suffix, files = [] }: InfillPrompt): readonly string[] {
  return [...files.flatMap(({ name, text }) => [name, text]), prefix, suffix];
}

/** Placeholders for names that editors do not send. */
const REPOSITORY_NAME = "repository";
const GAP_FILE_NAME = "file";

/**
 * Puts other files before the one with the gap, in the format of models trained on repositories
 * (Hui et al., _Qwen2.5-Coder Technical Report_, 2024, section 3.2.2); for other models, with
 * headings.
 */
function encodeFiles(
  files: NonNullable<InfillPrompt["files"]>,
  { repository, file }: InfillTokens,
  tokenize: (text: string) => readonly number[],
): readonly number[] {
  if (file === undefined) {
    return files.flatMap(({ name, text }) => tokenize(`\n\n--- ${name} ---\n\n${text}`));
  }
  return [
    ...(repository === undefined ? [] : [repository, ...tokenize(`${REPOSITORY_NAME}\n`)]),
    ...files.flatMap(({ name, text }) => [file, ...tokenize(`${name}\n${text}`)]),
    file,
    ...tokenize(`${GAP_FILE_NAME}\n`),
  ];
}

/** Returns a prompt's tokens with exactly one BOS for models that use one. */
export function withBos(
  tokens: readonly number[],
  { prependedBos }: Pick<Vocabulary, "prependedBos">,
): readonly number[] {
  const lacksBos = prependedBos !== undefined && tokens[0] !== prependedBos;
  return lacksBos ? [prependedBos, ...tokens] : tokens;
}

/**
 * Twice the usual ratio. Tokenizing megabytes of which little fits into the context takes seconds.
 */
const MAX_CHARACTERS_PER_TOKEN = 8;

/**
 * Tokenizes the text that a client predicts for an answer, up to the maximum length of an answer.
 * @param contextSize maximum tokens of one request
 */
export function tokenizePrediction(
  text: string,
  vocabulary: Pick<Vocabulary, "tokenize">,
  contextSize: number,
): readonly number[] {
  assert(contextSize > 0, `invalid context size: ${contextSize}`);
  const predictedText = text.slice(0, contextSize * MAX_CHARACTERS_PER_TOKEN);
  return vocabulary.tokenize(predictedText, "literal").slice(0, contextSize);
}
