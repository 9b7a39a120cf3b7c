import type { GenerationEvent } from "../../core/generation-event.js";
import type { AnsweredDelta } from "./answered-calls.js";
import type { CallReporting } from "./call-reporting.js";
import { CustomInputReader } from "./custom-input-reader.js";

type CallBegin = Extract<GenerationEvent, { type: "tool-call-begin" }>;
type CallArguments = Extract<GenerationEvent, { type: "tool-call-arguments" }>;

/** Prints the calls of one choice: the first delta of a call names it, the others have pieces of what it is called with. */
export class CallDeltas {
  readonly #reporting: CallReporting;
  /** Of the call that began last; `undefined`: it has arguments. */
  #input: CustomInputReader | undefined;

  constructor(reporting: CallReporting) {
    this.#reporting = reporting;
  }

  begin({ index, id, name }: Pick<CallBegin, "index" | "id" | "name">): AnsweredDelta {
    const { field, customTools } = this.#reporting;
    this.#input = customTools.has(name) ? new CustomInputReader() : undefined;
    if (field === "function_call") return { function_call: { name, arguments: "" } };
    return this.#input === undefined
      ? { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }
      : { tool_calls: [{ index, id, type: "custom", custom: { name, input: "" } }] };
  }

  /** @returns `undefined`: the piece adds nothing to the input */
  add({ index, text }: Pick<CallArguments, "index" | "text">): AnsweredDelta | undefined {
    if (this.#reporting.field === "function_call") return { function_call: { arguments: text } };
    if (this.#input === undefined) {
      return { tool_calls: [{ index, function: { arguments: text } }] };
    }
    const input = this.#input.read(text);
    return input === "" ? undefined : { tool_calls: [{ index, custom: { input } }] };
  }
}
