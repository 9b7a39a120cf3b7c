import type { ToolCall } from "../../core/generation-request.js";
import { writtenText } from "../../core/written-json.js";
import type { OllamaMessage, OllamaToolCall } from "./message-schema.js";

/** The calls of a conversation's last answer that no result has answered yet. */
export class OpenCalls {
  #open: readonly ToolCall[] = [];
  #numbered = 0;

  /** The calls of the next answer. Ollama's need no ids: those without one are numbered. */
  begin(calls: readonly OllamaToolCall[]): readonly ToolCall[] {
    this.#open = calls.map(({ id, function: called }) => ({
      id: id ?? this.#nextId(),
      name: called.name,
      arguments: writtenText(called.arguments ?? {}),
    }));
    return this.#open;
  }

  /** Takes the call that a result answers: by its id, else the first one of the tool that it names. */
  take({ tool_call_id: id, tool_name: name }: OllamaMessage): ToolCall | undefined {
    const answered = this.#open.find((call) =>
      id === undefined ? name === undefined || call.name === name : call.id === id,
    );
    this.#open = this.#open.filter((call) => call !== answered);
    return answered;
  }

  /** Nine letters and digits: templates of Mistral's models insist on them. */
  #nextId(): string {
    return `call${String(this.#numbered++).padStart(5, "0")}`;
  }
}
