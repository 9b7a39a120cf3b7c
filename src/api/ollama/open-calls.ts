import type { ToolCall } from "../../core/generation-request.js";
import { writtenText } from "../../core/written-json.js";
import type { OllamaMessage, OllamaToolCall } from "./message-schema.js";

/**
 * The calls of a conversation's last answer that no result has answered yet. A conversation has thousands of calls and
 * results: each is looked up, not searched for.
 */
export class OpenCalls {
  /** In their order. */
  #open = new Set<ToolCall>();
  #byId: ReadonlyMap<string, ToolCall[]> = new Map();
  #byName: ReadonlyMap<string, ToolCall[]> = new Map();
  #numbered = 0;

  /** The calls of the next answer. Ollama's need no ids: those without one are numbered. */
  begin(calls: readonly OllamaToolCall[]): readonly ToolCall[] {
    const begun = calls.map(({ id, function: called }) => ({
      id: id ?? this.#nextId(),
      name: called.name,
      arguments: writtenText(called.arguments ?? {}),
    }));
    this.#open = new Set(begun);
    this.#byId = grouped(begun, ({ id }) => id);
    this.#byName = grouped(begun, ({ name }) => name);
    return begun;
  }

  /** Takes the call that a result answers: by its id, else the first one of the tool that it names. */
  take({ tool_call_id: id, tool_name: name }: OllamaMessage): ToolCall | undefined {
    const answered = this.#firstOpen(this.#candidates(id, name));
    if (answered !== undefined) this.#open.delete(answered);
    return answered;
  }

  #candidates(id: string | undefined, name: string | undefined): Iterable<ToolCall> {
    if (id !== undefined) return taken(this.#byId.get(id) ?? []);
    return name === undefined ? this.#open : taken(this.#byName.get(name) ?? []);
  }

  #firstOpen(candidates: Iterable<ToolCall>): ToolCall | undefined {
    for (const call of candidates) if (this.#open.has(call)) return call;
    return undefined;
  }

  /** Nine letters and digits: templates of Mistral's models insist on them. */
  #nextId(): string {
    return `call${String(this.#numbered++).padStart(5, "0")}`;
  }
}

/** The calls of a list, each of which is taken off it: none is looked at twice. */
function* taken(calls: ToolCall[]): Generator<ToolCall, void> {
  for (let call = calls.shift(); call !== undefined; call = calls.shift()) yield call;
}

function grouped(
  calls: readonly ToolCall[],
  keyOf: (call: ToolCall) => string,
): ReadonlyMap<string, ToolCall[]> {
  const groups = new Map<string, ToolCall[]>();
  for (const call of calls) {
    const group = groups.get(keyOf(call));
    if (group === undefined) groups.set(keyOf(call), [call]);
    else group.push(call);
  }
  return groups;
}
