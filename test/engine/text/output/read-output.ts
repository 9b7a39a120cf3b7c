import { OutputParser } from "../../../../src/engine/text/output/output-parser.js";
import type { OutputPart, OutputPiece } from "../../../../src/engine/text/output/output-piece.js";
import type { OutputReading } from "../../../../src/engine/text/output/output-reading.js";
import { plainReading } from "../../../support/plain-reading.js";

/** Adjacent pieces of one kind are joined; a whole call is one part. */
export type ReadPart =
  | { readonly text: string }
  | { readonly reasoning: string }
  | {
      readonly call: string;
      readonly arguments: string;
      readonly id?: string;
      /** Not for calls that were cut off. */
      readonly ended?: true;
    };

export const parsing = (reading: Partial<OutputReading>): OutputReading => ({
  ...plainReading,
  toolCalls: "parsed",
  ...reading,
});

/** Reads an output that arrives in pieces; strings are pieces of text. */
export function readOutput(
  pieces: readonly (string | OutputPiece)[],
  reading: Partial<OutputReading> = {},
): readonly ReadPart[] {
  const parser = new OutputParser(parsing(reading));
  const parts = pieces.flatMap((piece) =>
    parser.push(typeof piece === "string" ? { type: "text", text: piece } : piece),
  );
  return [...parts, ...parser.flush()].reduce<readonly ReadPart[]>(append, []);
}

function append(read: readonly ReadPart[], part: OutputPart): readonly ReadPart[] {
  const last = read.at(-1);
  const before = read.slice(0, -1);
  switch (part.type) {
    case "text":
      if (last === undefined || !("text" in last)) return [...read, { text: part.text }];
      return [...before, { text: last.text + part.text }];
    case "reasoning":
      if (last === undefined || !("reasoning" in last)) return [...read, { reasoning: part.text }];
      return [...before, { reasoning: last.reasoning + part.text }];
    case "tool-call-begin":
      return [
        ...read,
        { call: part.name, arguments: "", ...(part.id !== undefined && { id: part.id }) },
      ];
    case "tool-call-arguments":
      return [...before, { ...openCall(last), arguments: openCall(last).arguments + part.text }];
    case "tool-call-end":
      return [...before, { ...openCall(last), ended: true }];
  }
}

function openCall(last: ReadPart | undefined) {
  if (last === undefined || !("call" in last) || last.ended) throw new Error("no call is open");
  return last;
}

export const text = (value: string): ReadPart => ({ text: value });
export const reasoning = (value: string): ReadPart => ({ reasoning: value });
export const call = (name: string, args: string, id?: string): ReadPart => ({
  call: name,
  arguments: args,
  ...(id !== undefined && { id }),
  ended: true,
});
/** A call that the end of the output cut off. */
export const cutCall = (name: string, args: string, id?: string): ReadPart => ({
  call: name,
  arguments: args,
  ...(id !== undefined && { id }),
});

/** Splits a text into pieces in which these marks are control tokens; the longest mark wins. */
export function withControlTokens(output: string, marks: readonly string[]): OutputPiece[] {
  if (marks.length === 0) return [{ type: "text", text: output }];
  const alternatives = marks
    .toSorted((a, b) => b.length - a.length)
    .map((mark) => mark.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return output
    .split(new RegExp(`(${alternatives.join("|")})`))
    .map((text, index): OutputPiece => ({ type: index % 2 === 0 ? "text" : "control-token", text }))
    .filter((piece) => piece.text !== "");
}
