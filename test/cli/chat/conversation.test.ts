import { expect, test } from "vitest";
import { Conversation, parseCommand } from "../../../src/cli/chat/conversation.js";

test.each([
  ["/help", { type: "help" }],
  ["/clear", { type: "clear" }],
  ["/exit", { type: "exit" }],
  ["/system Be brief.", { type: "system", text: "Be brief." }],
  ["/system", { type: "system", text: undefined }],
  ["/bye", { type: "unknown", name: "bye" }],
  ["/etc/hosts is what?", undefined],
  ["help", undefined],
  ["", undefined],
])("%j is parsed as the command %j", (text, expected) => {
  expect(parseCommand({ text, form: "line" })).toEqual(expected);
});

test("quoted text is never parsed as a command", () => {
  expect(parseCommand({ text: "/help", form: "lines" })).toBeUndefined();
});

test("a conversation keeps its messages until it is cleared, except interrupted turns without an answer", () => {
  const conversation = new Conversation(undefined);
  expect(conversation.with("one")).toEqual([{ role: "user", content: "one" }]);
  conversation.keep("one", "1");
  conversation.keep("interrupted", "");
  conversation.system = "Count.";
  expect(conversation.with("two")).toEqual([
    { role: "system", content: "Count." },
    { role: "user", content: "one" },
    { role: "assistant", content: "1" },
    { role: "user", content: "two" },
  ]);
  conversation.clear();
  expect(conversation.with("two")).toEqual([
    { role: "system", content: "Count." },
    { role: "user", content: "two" },
  ]);
});
