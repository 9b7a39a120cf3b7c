import { expect, test } from "vitest";
import { AnswerPrinter } from "../../../src/cli/chat/answer-printer.js";
import type { AnswerPiece } from "../../../src/cli/chat/stream-answer.js";

function printed(isTTY: boolean, ...pieces: readonly AnswerPiece[]): string {
  let written = "";
  const output = {
    isTTY,
    write: (text: string) => {
      written += text;
    },
  };
  const printer = new AnswerPrinter(output);
  for (const piece of pieces) printer.add(piece);
  printer.end();
  return written;
}

const text = (text: string): AnswerPiece => ({ kind: "text", text });
const reasoning = (text: string): AnswerPiece => ({ kind: "reasoning", text });

test("an answer ends with exactly one line break", () => {
  expect(printed(true, text("Hi"), text("!"))).toBe("Hi!\n");
  expect(printed(false, text("Hi\n"))).toBe("Hi\n");
  expect(printed(true)).toBe("");
});

test("a terminal shows reasoning dimmed and separated from the text", () => {
  const pieces = [reasoning("\nHm"), reasoning("m."), text("\n\n"), text("\nHi "), text(" you")];
  expect(printed(true, ...pieces)).toBe("\u001b[2mHmm.\u001b[22m\n\nHi  you\n");
  expect(printed(true, reasoning("Hm\n"), text("Hi"))).toBe("\u001b[2mHm\n\u001b[22m\nHi\n");
  expect(printed(true, reasoning("Hm"))).toBe("\u001b[2mHm\u001b[22m\n");
});

test("without a terminal, reasoning is omitted and the text is unchanged", () => {
  expect(printed(false, reasoning("Hm"), text("\n\u001b[31mHi"))).toBe("\n\u001b[31mHi\n");
});

test("control characters in an answer do not reach the terminal", () => {
  expect(printed(true, text("\ta\u001b[2Jb\r\u009bc\u0007\nd"))).toBe("a[2Jbc\nd\n");
});
