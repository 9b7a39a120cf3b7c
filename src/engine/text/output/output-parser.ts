import type { CallIdStyle } from "./call-ids.js";
import type {
  ArgumentsSyntax,
  CallBody,
  Convention,
  HeadPart,
  ParameterPart,
} from "./conventions/convention.js";
import { CONVENTIONS } from "./conventions/conventions.js";
import { REASONING_MARKS } from "./conventions/reasoning-marks.js";
import type { OutputPart, OutputPiece } from "./output-piece.js";
import { beginsAnew, type OutputReading } from "./output-reading.js";
import { HARMONY_MARKS, HarmonyOutput } from "./parser/harmony-output.js";
import { MarkedOutput } from "./parser/marked-output.js";
import { readTextUntil } from "./parser/marks.js";
import { OutputBuffer, type Reading } from "./parser/output-buffer.js";
import { OutputParts } from "./parser/output-parts.js";

/**
 * Splits an answer into reasoning, tool calls and text, by the convention of the model's family.
 * The result depends neither on where the answer is cut into pieces, nor on whether marks are
 * control tokens or text; control tokens are never part of text. White space around calls and
 * reasoning is dropped.
 *
 * An unreadable call is text. Once its arguments have begun they are passed on as written: if they
 * turn out malformed, the call ends there and the rest is text; if the output ends, they stay
 * partial.
 */
export class OutputParser {
  readonly #buffer = new OutputBuffer();
  readonly #parts = new OutputParts();
  readonly #callIds: CallIdStyle;
  readonly #reading: Reading<unknown>;
  /** The texts in which the names of control tokens are significant. */
  readonly #meaningfulTexts: readonly string[];

  /** @param convention overrides the reading's convention, to try it */
  constructor(reading: OutputReading, convention: Convention = CONVENTIONS[reading.convention]) {
    const { ids, promptOpening } = convention;
    this.#callIds = ids;
    if (promptOpening !== undefined && beginsAnew(reading)) {
      this.#buffer.push({ type: "control-token", text: promptOpening });
    }
    this.#reading = this.#read(reading, convention);
    this.#meaningfulTexts = listMeaningfulTexts(reading);
    this.#reading.next();
  }

  /** Id format for calls written without one. */
  get callIds(): CallIdStyle {
    return this.#callIds;
  }

  /** Whether the next text belongs to the reasoning, as far as is known. */
  get isReasoning(): boolean {
    return this.#parts.kind === "reasoning";
  }

  /** Adds the next piece; returns settled parts. */
  push(piece: OutputPiece): OutputPart[] {
    if (this.#isRelevant(piece)) this.#buffer.push(piece);
    this.#reading.next();
    return this.#parts.take();
  }

  /** Ends the output and returns the parts held back. */
  flush(): OutputPart[] {
    this.#buffer.finish();
    this.#reading.next();
    this.#parts.finish();
    return this.#parts.take();
  }

  #read(reading: OutputReading, convention: Convention): Reading<unknown> {
    if (reading.beginsWith === "raw-text") {
      return readTextUntil(this.#buffer, [], this.#parts.addVerbatim);
    }
    const { tools, callable } = reading;
    const context = { buffer: this.#buffer, parts: this.#parts, tools, callable };
    const { calls } = convention;
    if (calls === "harmony") return new HarmonyOutput(context, reading).read();
    const syntaxes = reading.toolCalls === "parsed" ? calls : [];
    return new MarkedOutput(context, convention, { syntaxes, reading }).read();
  }

  /**
   * Returns whether a piece is relevant. Control tokens unknown to the convention must not
   * interrupt a text or a value.
   */
  #isRelevant({ type, text }: OutputPiece): boolean {
    if (type === "text") return text !== "";
    return this.#meaningfulTexts.some((meaningful) => meaningful.includes(text));
  }
}

/** Returns all texts that are significant in an output with this reading. */
function listMeaningfulTexts({
  beginsWith,
  convention,
  reasoning,
}: OutputReading): readonly string[] {
  if (beginsWith === "raw-text") return [];
  const { open, close } = REASONING_MARKS[reasoning];
  return [open, close, ...listConventionMarks(CONVENTIONS[convention])];
}

function listConventionMarks({
  calls,
  contentMarks = [],
  promptOpening = "",
}: Convention): readonly string[] {
  const callMarks =
    calls === "harmony"
      ? HARMONY_MARKS
      : calls.flatMap(({ section, call }) => [section.open, section.close, ...listBodyMarks(call)]);
  return [...contentMarks, promptOpening, ...callMarks];
}

function listBodyMarks(body: CallBody): readonly string[] {
  if (body.type === "envelope") return [];
  return [...selectTexts(body.head), body.close, ...listArgumentMarks(body.arguments)];
}

function listArgumentMarks(syntax: ArgumentsSyntax): readonly string[] {
  switch (syntax.type) {
    case "json":
    case "keywords":
      return [];
    case "marked-object":
      return [syntax.quote];
    case "elements":
      return [syntax.mark];
    case "parameters": {
      const { open = "", close = "" } = syntax.quote ?? {};
      return [...selectTexts(syntax.open), syntax.close, open, close];
    }
  }
}

function selectTexts(frame: readonly (HeadPart | ParameterPart)[]): readonly string[] {
  return frame.filter((part) => typeof part === "string");
}
