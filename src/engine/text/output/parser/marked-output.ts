import type { CallSyntax, Convention } from "../conventions/convention.js";
import { REASONING_MARKS, type ReasoningMarks } from "../conventions/reasoning-marks.js";
import { beginsAnew, type OutputReading } from "../output-reading.js";
import { marksOf, readCalls } from "./calls.js";
import { isNext, readTextUntil, takeLiteral } from "./marks.js";
import { attempt, hasCharacter, type Reading, skipSpace } from "./output-buffer.js";
import type { CallContext } from "./output-parts.js";

/** Reads an answer in which marks separate reasoning and calls from text. */
export class MarkedOutput {
  readonly #context: CallContext;
  readonly #syntaxes: readonly CallSyntax[];
  readonly #reasoning: ReasoningMarks;
  readonly #contentMarks: readonly string[];
  readonly #callMarks: readonly string[];
  readonly #reasoningEndMarks: readonly string[];
  readonly #reading: OutputReading;

  /** @param syntaxes syntaxes of calls; if empty, calls are text */
  constructor(
    context: CallContext,
    { contentMarks = [], callsEndReasoning }: Convention,
    { syntaxes, reading }: { syntaxes: readonly CallSyntax[]; reading: OutputReading },
  ) {
    this.#context = context;
    this.#syntaxes = syntaxes;
    this.#reasoning = REASONING_MARKS[reading.reasoning];
    const { close, place } = this.#reasoning;
    this.#contentMarks = place === "anywhere" ? [...contentMarks, close] : contentMarks;
    this.#callMarks = syntaxes.filter((syntax) => syntax.place === "anywhere").flatMap(marksOf);
    this.#reasoningEndMarks = callsEndReasoning ? [close, ...this.#callMarks] : [close];
    this.#reading = reading;
  }

  *read(): Reading<void> {
    if (this.#reading.beginsWith === "reasoning") yield* this.#readReasoning();
    if (beginsAnew(this.#reading)) yield* this.#readBeginning();
    yield* this.#readText();
  }

  /** Reads reasoning after an opening mark; skips a closing mark that has no opening one. */
  *#readBeginning(): Reading<void> {
    const { buffer, parts } = this.#context;
    const { open, close } = this.#reasoning;
    if (yield* this.#tryTakeMark(open)) yield* this.#readReasoning();
    else if (yield* this.#tryTakeMark(close)) {
      parts.change("text");
      yield* skipSpace(buffer);
    }
  }

  /** Takes a mark and the white space before it, if present. */
  *#tryTakeMark(mark: string): Reading<boolean> {
    const { buffer } = this.#context;
    if (!(yield* isNext(buffer, mark))) return false;
    yield* skipSpace(buffer);
    yield* takeLiteral(buffer, mark);
    return true;
  }

  *#readReasoning(): Reading<void> {
    const { buffer, parts } = this.#context;
    parts.change("reasoning");
    const mark = yield* readTextUntil(buffer, this.#reasoningEndMarks, parts.addText);
    if (mark === undefined) return;
    parts.change("text");
    if (mark === this.#reasoning.close) buffer.position += mark.length;
  }

  *#readText(): Reading<void> {
    const { buffer, parts } = this.#context;
    const { open, place } = this.#reasoning;
    const marks = [
      ...this.#contentMarks,
      ...this.#callMarks,
      ...(place === "anywhere" ? [open] : []),
    ];
    let isBeginning = this.#reading.beginsWith !== "text";
    for (;;) {
      if (isBeginning && (yield* this.#tryReadCalls("beginning"))) continue;
      const mark = yield* readTextUntil(buffer, marks, parts.addText);
      if (mark === undefined) return;
      isBeginning = false;
      if (this.#contentMarks.includes(mark)) buffer.position += mark.length;
      else if (mark === open) {
        buffer.position += mark.length;
        yield* this.#readReasoning();
      } else if (yield* this.#tryReadCalls("anywhere")) isBeginning = true;
      else {
        const end = buffer.position + mark.length;
        parts.addText(
          buffer.sliceVisible(buffer.position, end),
          buffer.visibleOffsetOf(buffer.position),
        );
        buffer.position = end;
      }
    }
  }

  /** Reads the calls that come next, in any syntax; returns false if there are none. */
  *#tryReadCalls(place: CallSyntax["place"]): Reading<boolean> {
    const { buffer } = this.#context;
    for (const syntax of this.#syntaxes) {
      if (syntax.place !== place) continue;
      const result = yield* attempt(buffer, this.#skipThenRead(syntax), isRead);
      if (result === "read") return true;
    }
    return false;
  }

  *#skipThenRead(syntax: CallSyntax): Reading<"read" | "absent"> {
    const { buffer } = this.#context;
    yield* skipSpace(buffer);
    if (!(yield* hasCharacter(buffer, buffer.position))) return "absent";
    return yield* readCalls(this.#context, syntax);
  }
}

const isRead = (result: "read" | "absent") => result === "read";
