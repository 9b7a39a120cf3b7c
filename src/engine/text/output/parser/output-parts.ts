import type { ReadableTool } from "../../../../core/output-format.js";
import type { OutputPart, TextSpan } from "../output-piece.js";
import type { OutputReading } from "../output-reading.js";
import type { OutputBuffer } from "./output-buffer.js";

/**
 * Receives text that has been read.
 * @param offset offset of the text in the output's visible text
 */
export type PassText = (text: string, offset: number) => void;

/** Text and its ranges in the output's visible text. */
interface PlacedText {
  readonly text: string;
  readonly spans: readonly TextSpan[];
}

const NO_TEXT: PlacedText = { text: "", spans: [] };

/**
 * Collects the parts of an output. White space around calls and reasoning is dropped: it is held
 * back until the following part is known.
 */
export class OutputParts {
  #parts: OutputPart[] = [];
  /** White space held back. */
  #heldSpace = NO_TEXT;
  /** Whether leading white space is dropped, because it follows a call or reasoning. */
  #skipsSpace = false;
  #kind: "text" | "reasoning" = "text";

  /** Kind of the next text. */
  get kind(): "text" | "reasoning" {
    return this.#kind;
  }

  /** Returns the parts collected since the last call. */
  take(): OutputPart[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  readonly addText: PassText = (text, offset) => {
    const visible = this.#skipsSpace ? text.trimStart() : text;
    if (visible === "") return;
    const from = offset + text.length - visible.length;
    const settled = visible.trimEnd();
    if (settled === "") {
      this.#heldSpace = joinTexts(this.#heldSpace, placeText(visible, from));
      return;
    }
    this.#append(joinTexts(this.#heldSpace, placeText(settled, from)));
    this.#heldSpace = placeText(visible.slice(settled.length), from + settled.length);
    this.#skipsSpace = false;
  };

  /** Adds text verbatim, including its white space. */
  readonly addVerbatim: PassText = (text, offset) => {
    if (text !== "") this.#append(placeText(text, offset));
  };

  /** Switches between text and reasoning; white space around the change is dropped. */
  change(kind: "text" | "reasoning"): void {
    this.#dropSpace();
    this.#kind = kind;
  }

  beginCall(name: string, id: string | undefined): void {
    this.#dropSpace();
    this.#parts.push({ type: "tool-call-begin", name, ...(id !== undefined && { id }) });
  }

  /** @param addText the next piece of the arguments */
  addArguments(text: string): void {
    if (text === "") return;
    const last = this.#parts.at(-1);
    const before = last?.type === "tool-call-arguments" ? last.text : "";
    if (before !== "") this.#parts.pop();
    this.#parts.push({ type: "tool-call-arguments", text: before + text });
  }

  endCall(): void {
    this.#parts.push({ type: "tool-call-end" });
  }

  /** Ends the output; white space held back becomes text. */
  finish(): void {
    if (this.#heldSpace.text !== "") this.#append(this.#heldSpace);
    this.#heldSpace = NO_TEXT;
  }

  #dropSpace(): void {
    this.#heldSpace = NO_TEXT;
    this.#skipsSpace = true;
  }

  #append(added: PlacedText): void {
    const type = this.#kind;
    const last = this.#parts.at(-1);
    if (last?.type !== type) this.#parts.push({ type, ...added });
    else this.#parts[this.#parts.length - 1] = { type, ...joinTexts(last, added) };
  }
}

function placeText(text: string, from: number): PlacedText {
  return text === "" ? NO_TEXT : { text, spans: [{ from, to: from + text.length }] };
}

function joinTexts(a: PlacedText, b: PlacedText): PlacedText {
  const last = a.spans.at(-1);
  const [first, ...others] = b.spans;
  const spans =
    last !== undefined && last.to === first?.from
      ? [...a.spans.slice(0, -1), { from: last.from, to: first.to }, ...others]
      : [...a.spans, ...b.spans];
  return { text: a.text + b.text, spans };
}

/** Input and output of the call readers. */
export interface CallContext {
  readonly buffer: OutputBuffer;
  readonly parts: OutputParts;
  readonly tools: readonly ReadableTool[];
  /** See {@link OutputReading}. */
  readonly callable: OutputReading["callable"];
}

/** Returns whether a call may have a name. */
export function isCallable({ callable }: CallContext, name: string): boolean {
  return callable === undefined || callable.includes(name);
}

/**
 * Writes one call. Until it has begun, the input can still turn out to be text; from then on its
 * arguments are streamed and cannot be taken back.
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
    this.#context.buffer.rewindPosition = undefined;
    this.#context.parts.beginCall(this.#name, this.#id);
    this.write(text);
  }

  /** Passes on the next piece of the arguments. */
  readonly write = (text: string): void => {
    this.#context.parts.addArguments(text);
  };
}
