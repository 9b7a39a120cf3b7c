import { createRefusal, GgufdError } from "../../../core/errors.js";
import { formatReason } from "../../../core/format-reason.js";
import type { TextChatPrompt, TextMessage } from "../../../core/generation-request.js";
import { StartupError } from "../../../core/startup-error.js";
import type { PromptEnding } from "../../../core/text-question.js";
import { type AnswerForm, appendContinuedAnswer, probeAnswerForm } from "./answer-form.js";
import { withDescribedTools } from "./describe-tools.js";
import { isReservedName, Template } from "./jinja/template.js";
import { type MessageForm, probeForm } from "./message-form.js";
import {
  buildTemplateVariables,
  type MapText,
  toTemplateMessages,
  toTemplateTools,
} from "./template-variables.js";

/** The default template for models without one, as in llama.cpp. */
export const CHATML_TEMPLATE = `{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}`;

/** Texts of special tokens that templates may print. */
export interface TemplateTokens {
  readonly bosToken: string;
  readonly eosToken: string;
}

const BEGINNING: PromptEnding = "beginning of an answer";

const keepText: MapText = (text) => text;

/** Renders a conversation in the format that a model was trained on. */
export class ChatTemplate {
  readonly #template: Template;
  readonly #tokens: TemplateTokens;
  readonly #now: () => Date;
  readonly #form: MessageForm;
  readonly #answerForm: AnswerForm;

  /**
   * @param now the clock of templates that print the date
   * @throws {StartupError} the template cannot be parsed
   */
  constructor(source: string, tokens: TemplateTokens, now: () => Date = () => new Date()) {
    try {
      this.#template = new Template(source, now);
    } catch (error) {
      throw new StartupError(
        `the model's chat template cannot be parsed: ${formatReason(error)}`,
        error,
      );
    }
    this.#tokens = tokens;
    this.#now = now;
    this.#form = probeForm((prompt, form) => this.#attempt(prompt, form, BEGINNING));
    this.#answerForm = probeAnswerForm((prompt, end) => this.#attempt(prompt, this.#form, end));
  }

  /** Whether the template can list tools; if not, the system message describes them. */
  get listsTools(): boolean {
    return this.#form.tools !== "described";
  }

  /** Whether the reasoning of a continued answer can be continued. */
  get continuesReasoning(): boolean {
    return this.#answerForm.beforeReasoning !== undefined;
  }

  /** See {@link AnswerForm}. */
  get answerForm(): AnswerForm {
    return this.#answerForm;
  }

  /**
   * Renders the prompt. A final assistant message is continued, unless the prompt closes it.
   * @param protect applied to all client text, in the form that the template receives
   * @param tools `listed`: by the template if it can list them, otherwise described
   * @param ending of prompts whose final message is not continued
   * @throws {GgufdError} `chat_template_error` with the template's own message
   */
  render(
    request: TextChatPrompt,
    protect: MapText,
    tools: "listed" | "described" = "listed",
    ending: PromptEnding = BEGINNING,
  ): string {
    refuseReservedNames(request.templateVariables);
    const listedTools = request.tools.filter(({ definition }) => definition === undefined);
    const prompt = { ...request, tools: listedTools };
    const continuedMessage = findContinuedMessage(prompt);
    const messages = prompt.messages.slice(0, -1);
    const form: MessageForm = tools === "listed" ? this.#form : { ...this.#form, tools };
    try {
      if (continuedMessage === undefined) return this.#renderIn(form, prompt, protect, ending);
      const rendered = this.#renderIn(form, { ...prompt, messages }, protect, BEGINNING);
      const answer = {
        text: protect(continuedMessage.content),
        reasoning: protect(continuedMessage.reasoning ?? ""),
      };
      return appendContinuedAnswer(rendered, answer, this.#answerForm);
    } catch (error) {
      throw createTemplateRefusal(formatReason(error), error);
    }
  }

  /**
   * Renders a probe, a conversation not written by a client, to examine the template's output.
   * @returns `undefined` if the template rejects it
   */
  renderProbe(prompt: TextChatPrompt): string | undefined {
    try {
      return this.render(prompt, keepText);
    } catch {
      return undefined;
    }
  }

  #attempt(prompt: TextChatPrompt, form: MessageForm, ending: PromptEnding): string | undefined {
    try {
      return this.#renderIn(form, prompt, keepText, ending);
    } catch {
      return undefined;
    }
  }

  #renderIn(
    form: MessageForm,
    prompt: TextChatPrompt,
    protect: MapText,
    ending: PromptEnding,
  ): string {
    const variables = buildTemplateVariables(prompt.templateVariables, form, this.#now(), protect);
    variables.set("messages", toTemplateMessages(convertMessages(form, prompt), form, protect));
    if (prompt.tools.length > 0 && form.tools !== "described") {
      variables.set(form.tools, toTemplateTools(prompt.tools, form.tools, protect));
    }
    variables.set("add_generation_prompt", ending === BEGINNING);
    variables.set("bos_token", this.#tokens.bosToken);
    variables.set("eos_token", this.#tokens.eosToken);
    return this.#template.render(variables);
  }
}

/** Returns the final message if it is to be continued. */
export function findContinuedMessage({ messages, finalMessage = "continued" }: TextChatPrompt) {
  const last = messages.at(-1);
  const isBegun = last?.role === "assistant" && last.toolCalls === undefined;
  return isBegun && finalMessage === "continued" ? last : undefined;
}

function convertMessages(
  form: MessageForm,
  { messages, tools }: TextChatPrompt,
): readonly TextMessage[] {
  const describedMessages =
    form.tools === "described" ? withDescribedTools(messages, tools) : messages;
  return form.systemMessages === "separate"
    ? describedMessages
    : withMergedSystemMessage(describedMessages);
}

function withMergedSystemMessage(messages: readonly TextMessage[]): readonly TextMessage[] {
  const [system, next, ...rest] = messages;
  if (system?.role !== "system") return messages;
  if (next === undefined) return [{ role: "user", content: system.content }];
  return [{ ...next, content: `${system.content}\n${next.content}` }, ...rest];
}

function refuseReservedNames(variables: TextChatPrompt["templateVariables"]): void {
  const reservedName = Object.keys(variables).find(isReservedName);
  if (reservedName === undefined) return;
  const field = `chat_template_kwargs.${reservedName}`;
  const reason = "expected another name; this one is reserved for templates";
  throw createRefusal("invalid_request", [{ field, reason }]);
}

function createTemplateRefusal(reason: string, cause: unknown): GgufdError {
  return new GgufdError(
    "chat_template_error",
    `The model's chat template refused the messages: ${reason}`,
    { param: "messages", details: [{ field: "messages", reason }], cause },
  );
}
