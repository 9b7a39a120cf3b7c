import { expect, test } from "vitest";
import { type LineOrigin, MessageInput } from "../../../src/cli/chat/message-input.js";

/** Messages for given lines; lines that begin with `>` were pasted. */
function messagesOf(lines: readonly string[]) {
  const input = new MessageInput();
  return lines.flatMap((line) => {
    const ending: LineOrigin = line.startsWith(">") ? "pasted" : "entered";
    return input.add(line.replace(/^>/, ""), ending) ?? [];
  });
}

const line = (text: string) => ({ text, form: "line" });
const lines = (text: string) => ({ text, form: "lines" });

test.each([
  [["Hello"], [line("Hello")]],
  [
    ["  Hello  ", ""],
    [line("Hello"), line("")],
  ],
  [
    ["one\\", "two\\", "three", "four"],
    [lines("one\ntwo\nthree"), line("four")],
  ],
  [['"""one', "", '  two"""'], [lines("one\n\n  two")]],
  [['"""', "/help", "a\\", '"""'], [lines("/help\na\\")]],
  [['"""one"""'], [lines("one")]],
  [
    ['"""one""" ', "two"],
    [lines("one"), line("two")],
  ],
  [['"""', '"""'], [lines("")]],
  [
    ['say """', "x"],
    [line('say """'), line("x")],
  ],
  [[">one", ">two\\", '>"""three', "four"], [lines('one\ntwo\\\n"""three\nfour')]],
  [[">one", ""], [lines("one")]],
  [['"""', '>a"""', 'b"""'], [lines('a"""\nb')]],
])("the lines %j are parsed as the messages %j", (typed, expected) => {
  expect(messagesOf(typed)).toEqual(expected);
});

test("unfinished input can be discarded", () => {
  const input = new MessageInput();
  input.add('"""one', "entered");
  expect(input.hasBegun).toBe(true);
  input.clear();
  expect(input.hasBegun).toBe(false);
  expect(input.add("two", "entered")).toEqual(line("two"));
});
