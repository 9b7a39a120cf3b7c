import type { ChatPrompt } from "../core/generation-request.js";
import type { ChatTemplate } from "./chat-template.js";
import { ControlTokenGuard, controlTokenPattern } from "./control-token-guard.js";
import type { Vocabulary } from "./vocabulary.js";

/** Turns conversations into the tokens that the model reads. */
export class PromptTokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #template: ChatTemplate;
  readonly #controlTokens: RegExp | undefined;

  constructor(vocabulary: Vocabulary, template: ChatTemplate) {
    this.#vocabulary = vocabulary;
    this.#template = template;
    this.#controlTokens = controlTokenPattern(vocabulary.controlTexts);
  }

  /**
   * Renders and tokenises a conversation, with exactly one BOS for models that want one.
   * @throws {GgufdError} `chat_template_error`
   */
  encode({ messages, templateVariables }: ChatPrompt): number[] {
    const guard = new ControlTokenGuard(this.#controlTokens);
    const rendered = this.#template.render({
      messages: messages.map((message) => guard.guard(message)),
      templateVariables,
    });
    const tokens = guard
      .release(rendered)
      .flatMap(({ text, controlTokens }) => this.#vocabulary.tokenize(text, controlTokens));
    const { prependedBos } = this.#vocabulary;
    if (prependedBos === undefined || tokens[0] === prependedBos) return tokens;
    return [prependedBos, ...tokens];
  }
}
