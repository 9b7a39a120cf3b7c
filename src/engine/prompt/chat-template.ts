import { Template } from "@huggingface/jinja";
import { GgufdError, refusalOf } from "../../core/errors.js";
import type { ChatMessage, ChatPrompt, ToolDefinition } from "../../core/generation-request.js";
import { jsonSizeOf, MAX_JSON_DEPTH, MAX_JSON_VALUES } from "../../core/json-size.js";
import { reasonOf } from "../../core/reason-of.js";
import { StartupError } from "../../core/startup-error.js";

/** The default for models without a template, as in llama.cpp. */
export const CHATML_TEMPLATE = `{%- for message in messages -%}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}`;

/** Texts of special tokens that templates may print. */
export interface TemplateTokens {
  readonly bosToken: string;
  readonly eosToken: string;
}

/** Transforms the strings inside a value; its structure stays. */
export type Protect = <Value>(value: Value) => Value;

/** Renders a conversation in the format that a model was trained on. */
export class ChatTemplate {
  readonly #source: string;
  readonly #template: Template;
  readonly #tokens: TemplateTokens;

  /** @throws {StartupError} when the template cannot be parsed. */
  constructor(source: string, tokens: TemplateTokens) {
    try {
      this.#template = new Template(source);
    } catch (error) {
      throw new StartupError(
        `the model's chat template cannot be parsed: ${reasonOf(error)}`,
        error,
      );
    }
    this.#source = source;
    this.#tokens = tokens;
  }

  /** Whether the template's source contains a text, which indicates the model's formats. */
  mentions(text: string): boolean {
    return this.#source.includes(text);
  }

  /**
   * Renders the prompt. A final assistant message is continued rather than closed.
   * @param protect applied to everything that the client wrote, in the form that the template gets
   * @throws {GgufdError} `chat_template_error` with the template's own message.
   */
  render({ messages, tools, templateVariables }: ChatPrompt, protect: Protect): string {
    const last = messages.at(-1);
    const begun = last?.role === "assistant" && last.toolCalls === undefined ? last : undefined;
    const closed = begun === undefined ? messages : messages.slice(0, -1);
    try {
      const prompt = this.#template.render({
        ...protect(templateVariables),
        messages: protect(closed.map(toTemplateMessage)),
        ...(tools.length > 0 && { tools: protect(tools.map(toTemplateTool)) }),
        add_generation_prompt: true,
        bos_token: this.#tokens.bosToken,
        eos_token: this.#tokens.eosToken,
      });
      return prompt + protect(begun?.content ?? "");
    } catch (error) {
      throw refusal(reasonOf(error), error);
    }
  }
}

function refusal(reason: string, cause: unknown): GgufdError {
  const [, reserved] = /^Variable already declared: (\w+)/.exec(reason) ?? [];
  if (reserved !== undefined) {
    const field = `chat_template_kwargs.${reserved}`;
    const expected = "expected another name: templates use this one themselves";
    return refusalOf("invalid_request", [{ field, reason: expected }], { cause });
  }
  return new GgufdError(
    "chat_template_error",
    `The model's chat template refused the messages: ${reason}`,
    { param: "messages", details: [{ field: "messages", reason }], cause },
  );
}

/** A message with the field names of Hugging Face transformers, which templates expect. */
function toTemplateMessage(message: ChatMessage): Record<string, unknown> {
  switch (message.role) {
    case "system":
    case "user":
      return defined({ role: message.role, content: message.content, name: message.name });
    case "assistant":
      return defined({
        role: "assistant",
        content: message.content,
        reasoning_content: message.reasoning,
        tool_calls: message.toolCalls?.map((call) => ({
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: parsedArguments(call.arguments) },
        })),
      });
    case "tool":
      return defined({
        role: "tool",
        content: message.content,
        tool_call_id: message.toolCallId,
        name: message.name,
      });
  }
}

/** A tool in OpenAI's form, which templates expect. */
function toTemplateTool({ name, description, parameters }: ToolDefinition) {
  return { type: "function", function: defined({ name, description, parameters }) };
}

/** Larger arguments are printed as the text that they are. */
const ARGUMENT_LIMITS = {
  depth: MAX_JSON_DEPTH,
  values: MAX_JSON_VALUES,
  longestScalar: Number.POSITIVE_INFINITY,
};

/** Templates print arguments with `tojson`: they need the object, not its JSON text. */
function parsedArguments(text: string): unknown {
  const { depth, values } = jsonSizeOf(Buffer.from(text), ARGUMENT_LIMITS);
  if (depth > ARGUMENT_LIMITS.depth || values > ARGUMENT_LIMITS.values) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Templates test `is defined`: an absent value must be an absent key. */
function defined(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
