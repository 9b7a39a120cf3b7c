import type { ReadableTool } from "../../../../core/output-format.js";
import type { OutputReading } from "../output-reading.js";
import type { OutputBuffer } from "./output-buffer.js";
import type { OutputParts } from "./output-parts.js";

/** What the readers of calls read from and write to. */
export interface CallContext {
  readonly buffer: OutputBuffer;
  readonly parts: OutputParts;
  readonly tools: readonly ReadableTool[];
  /** See {@link OutputReading}. */
  readonly callable: OutputReading["callable"];
}

/** Whether a call may have a name. */
export function isCallable({ callable }: CallContext, name: string): boolean {
  return callable === undefined || callable.includes(name);
}

/**
 * Writes one call. Until it has begun, what has been read can still turn out to be text; from then on
 * its arguments are streamed, and nothing is taken back.
 */
export class CallWriter {
  readonly #context: CallContext;
  readonly #name: string;
  readonly #id: string | undefined;
  #hasBegun = false;

  constructor(context: CallContext, name: string, id?: string) {
    this.#context = context;
    this.#name = name;
    this.#id = id;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Begins the call, unless it has begun, with the first text of its arguments. */
  begin(text: string): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#context.buffer.keptFrom = undefined;
    this.#context.parts.beginCall(this.#name, this.#id);
    this.write(text);
  }

  /** Passes on the next piece of the arguments. */
  readonly write = (text: string): void => {
    this.#context.parts.arguments(text);
  };
}
