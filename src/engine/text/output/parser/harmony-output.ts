import type { OutputReading } from "../output-reading.js";
import { readJsonObject } from "./call-arguments.js";
import { isNext, readTextUntil, takeLiteral } from "./marks.js";
import { type Reading, skipSpace } from "./output-buffer.js";
import { type CallContext, CallWriter, isCallable } from "./output-parts.js";

const START = "<|start|>";
const CHANNEL = "<|channel|>";
const MESSAGE = "<|message|>";
/** Marks that end a message and belong to it. */
const ENDS = ["<|end|>", "<|call|>", "<|return|>"];
/** Marks that end a message because they begin the next. */
const BEGINNINGS = [START, CHANNEL, MESSAGE];
const CONSTRAIN = "<|constrain|>";
/** All marks of the format. */
export const HARMONY_MARKS: readonly string[] = [...BEGINNINGS, ...ENDS, CONSTRAIN];
const RECIPIENT_MARK = "to=functions.";
/** The recipient in a header, before or after the channel. */
const RECIPIENT = /\sto=functions\.([\w.-]+)/;
const CHANNEL_NAME = /<\|channel\|>\s*(\w+)/;

/** The kind of a message, as determined by its header. */
type Message =
  | { readonly type: "text" | "reasoning" }
  | { readonly type: "call"; readonly name: string };

/**
 * Reads an answer in OpenAI's harmony format: messages, each with a header that names its channel
 * (`analysis`, `commentary`, `final`) and, for a call, the function. Output outside of messages
 * is text.
 */
export class HarmonyOutput {
  readonly #context: CallContext;
  readonly #reading: OutputReading;

  constructor(context: CallContext, reading: OutputReading) {
    this.#context = context;
    this.#reading = reading;
  }

  *read(): Reading<void> {
    const { beginsWith } = this.#reading;
    let hasMore = true;
    if (beginsWith === "text" || beginsWith === "reasoning") {
      hasMore = yield* this.#readBody({ type: beginsWith });
    }
    while (hasMore) {
      const message = yield* this.#readHeader();
      if (message === undefined) return;
      hasMore = yield* this.#readBody(message);
    }
  }

  /**
   * Reads a header. A header without a message is dropped.
   * @returns `undefined` if the output has ended
   */
  *#readHeader(): Reading<Message | undefined> {
    const { buffer, parts } = this.#context;
    if (!(yield* this.#hasHeader())) return { type: "text" };
    parts.change("text");
    yield* skipSpace(buffer);
    for (;;) {
      const start = buffer.position;
      buffer.rewindPosition = start;
      if ((yield* takeLiteral(buffer, START)) === "cut") return undefined;
      const mark = yield* readTextUntil(buffer, [MESSAGE, START, ...ENDS], () => undefined);
      const header = buffer.sliceText(start, buffer.position);
      buffer.rewindPosition = undefined;
      if (mark === undefined) return undefined;
      if (mark !== START) buffer.position += mark.length;
      if (mark === MESSAGE) return this.#messageOf(` ${header}`);
    }
  }

  *#hasHeader(): Reading<boolean> {
    for (const beginning of [...BEGINNINGS, RECIPIENT_MARK]) {
      if (yield* isNext(this.#context.buffer, beginning)) return true;
    }
    return false;
  }

  #messageOf(header: string): Message {
    const [, name] = RECIPIENT.exec(header) ?? [];
    const isParsed = this.#reading.toolCalls === "parsed";
    if (name !== undefined && isParsed && isCallable(this.#context, name)) {
      return { type: "call", name };
    }
    const [, channel] = CHANNEL_NAME.exec(header) ?? [];
    return { type: channel === "analysis" ? "reasoning" : "text" };
  }

  /** @returns whether another message may follow */
  *#readBody(message: Message): Reading<boolean> {
    const { buffer, parts } = this.#context;
    const end = message.type === "call" ? yield* this.#readCall(message.name) : "text";
    parts.change(message.type === "reasoning" ? "reasoning" : "text");
    const pass = end === "call" ? () => undefined : parts.addText;
    const mark = yield* readTextUntil(buffer, [...ENDS, ...BEGINNINGS], pass);
    if (mark === undefined) return false;
    if (end === "call") parts.endCall();
    if (ENDS.includes(mark)) buffer.position += mark.length;
    parts.change("text");
    return true;
  }

  /** @returns the kind of the rest of the message: dropped (`call`) or text */
  *#readCall(name: string): Reading<"call" | "text"> {
    const { buffer } = this.#context;
    const writer = new CallWriter(this.#context, name);
    yield* skipSpace(buffer);
    const end = yield* readJsonObject(buffer, writer);
    return writer.hasBegun && end !== "malformed" ? "call" : "text";
  }
}
