import { expect, test } from "vitest";
import { TypedMessages } from "../../../src/cli/chat/typed-messages.js";
import { scriptedTerminal, visible } from "./scripted-terminal.js";

const ENTER = "\r";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const UP = "\u001b[A";
const PASTE = ["\u001b[200~", "\u001b[201~"] as const;

function typing() {
  const { stdin, stdout } = scriptedTerminal({ isTTY: true });
  const typed = new TypedMessages({ input: stdin, output: stdout });
  /** Types keys and returns the next message. */
  const after = (keys: string) => {
    const next = typed.next();
    stdin.write(keys);
    return next;
  };
  return { typed, stdin, stdout, after };
}

test("each line is a message, and the up arrow recalls earlier ones", async () => {
  const { after, typed } = typing();
  expect(await after(`Hello${ENTER}`)).toEqual({ text: "Hello", form: "line" });
  expect(await after(`${UP}!${ENTER}`)).toEqual({ text: "Hello!", form: "line" });
  typed.close();
});

test("a multi-line message is read line by line", async () => {
  const { after, typed, stdout } = typing();
  const message = await after(`"""one${ENTER}two"""${ENTER}`);
  expect(message).toEqual({ text: "one\ntwo", form: "lines" });
  expect(visible(stdout.text)).toContain("\n... ");
  typed.close();
});

test("pasted text and the text typed after it form one message", async () => {
  const { after, typed, stdout } = typing();
  expect(stdout.text).toContain("\u001b[?2004h");
  const message = await after(`See: ${PASTE[0]}one\r\\\rtwo${PASTE[1]} three${ENTER}`);
  expect(message).toEqual({ text: "See: one\n\\\ntwo three", form: "lines" });
  typed.close();
  expect(stdout.text).toContain("\u001b[?2004l");
});

test("input typed ahead is queued without echo", async () => {
  const { after, typed, stdin, stdout } = typing();
  await after(`one${ENTER}`);
  const shown = stdout.text;
  stdin.write(`two${ENTER}thr`);
  await new Promise(setImmediate);
  expect(stdout.text).toBe(shown);
  expect(await typed.next()).toMatchObject({ text: "two" });
  expect(await after(`ee${ENTER}`)).toMatchObject({ text: "three" });
  expect(visible(stdout.text)).toContain(">>> thr");
  typed.close();
});

test("Ctrl-D ends the input", async () => {
  const { after } = typing();
  expect(await after(CTRL_D)).toBeUndefined();
});

test("Ctrl-C discards the input, or exits on the second press if there is none", async () => {
  const { after, stdout } = typing();
  expect(await after(`a\\${ENTER}b${CTRL_C}c${ENTER}`)).toEqual({ text: "c", form: "line" });
  expect(await after(`${CTRL_C}d${ENTER}`)).toEqual({ text: "d", form: "line" });
  expect(visible(stdout.text)).toContain("(Ctrl-C again, or Ctrl-D, ends)");
  expect(await after(`e${CTRL_C}${CTRL_C}${CTRL_C}`)).toBeUndefined();
});

test("Ctrl-C during an answer stops it and discards the input typed ahead", async () => {
  const { after, typed, stdin } = typing();
  await after(`one${ENTER}`);
  const interrupted = new Promise<void>((resolve) => {
    typed.onInterrupt = resolve;
  });
  stdin.write(`two${ENTER}thr${CTRL_C}`);
  await interrupted;
  expect(await after(`four${ENTER}`)).toEqual({ text: "four", form: "line" });
  typed.close();
});
