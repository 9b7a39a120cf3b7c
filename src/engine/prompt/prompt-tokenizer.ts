import { type GgufdError, refusalOf } from "../../core/errors.js";
import type { ChatPrompt } from "../../core/generation-request.js";
import type { Vocabulary } from "../llama/vocabulary/vocabulary.js";
import { REASONING_TAGS, TOOL_CALL_TAGS } from "../output/tags.js";
import type { ChatTemplate } from "./chat-template.js";
import { type PromptLimits, refuseOversizedPrompt, refuseOversizedText } from "./context-length.js";
import { ControlTokenGuard, controlTokenPattern } from "./control-token-guard.js";
import type { EncodedPrompt } from "./prepare-generation.js";

/** Renders and tokenises conversations. */
export class PromptTokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #template: ChatTemplate;
  readonly #limits: PromptLimits;
  readonly #controlTokens: RegExp | undefined;

  /** @param contextSize tokens of one slot: longer prompts are rejected as early as possible */
  constructor(vocabulary: Vocabulary, template: ChatTemplate, contextSize: number) {
    this.#vocabulary = vocabulary;
    this.#limits = { contextSize, longestToken: vocabulary.longestToken };
    this.#template = template;
    this.#controlTokens = controlTokenPattern(vocabulary.controlTexts);
  }

  /**
   * Renders and tokenises a conversation, with exactly one BOS for models that use one.
   * @throws {GgufdError} `context_length_exceeded` for prompts that certainly do not fit,
   *   `chat_template_error`, `unsupported_parameter` for tools when the model's template does not use
   *   a supported tool-call format
   */
  encode(prompt: ChatPrompt): EncodedPrompt {
    const hasTools = prompt.tools.length > 0;
    if (hasTools && !this.#template.mentions(TOOL_CALL_TAGS.open)) throw toolsUnsupported();
    refuseOversizedPrompt(prompt, this.#limits);
    const guard = new ControlTokenGuard(this.#controlTokens);
    const rendered = this.#template.render(prompt, (value) => guard.guard(value));
    refuseOversizedText(rendered, this.#limits);
    const tokens = guard
      .release(rendered)
      .flatMap(({ text, controlTokens }) => this.#vocabulary.tokenize(text, controlTokens));
    const { prependedBos } = this.#vocabulary;
    const lacksBos = prependedBos !== undefined && tokens[0] !== prependedBos;
    return {
      tokens: lacksBos ? [prependedBos, ...tokens] : tokens,
      reading: {
        beginsWith: rendered.trimEnd().endsWith(REASONING_TAGS.open) ? "reasoning" : "anything",
        toolCalls: hasTools ? "parsed" : "ignored",
      },
    };
  }
}

function toolsUnsupported(): GgufdError {
  const reason = "the model's chat template has no tools in a convention that this server reads";
  return refusalOf("unsupported_parameter", [{ field: "tools", reason }]);
}
