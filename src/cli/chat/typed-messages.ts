import { createInterface, type Interface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { type EnteredMessage, MessageInput } from "./message-input.js";

/** Terminal where messages are typed. */
export interface TypingTerminal {
  readonly input: Readable;
  readonly output: Writable & { readonly columns?: number };
}

const PROMPT = ">>> ";
const MORE_PROMPT = "... ";
const HISTORY_LINES = 1000;
/**
 * Bracketed paste mode: terminals that support it mark pasted text, whose line breaks then do not
 * end a message.
 */
const ENABLE_BRACKETED_PASTE = "\u001b[?2004h";
const DISABLE_BRACKETED_PASTE = "\u001b[?2004l";

/**
 * Reads typed messages, with a history of lines. Text typed during an answer is not shown before
 * the next prompt.
 */
export class TypedMessages {
  /** Called on Ctrl-C while no message is awaited. */
  onInterrupt: () => void = () => undefined;
  readonly #output: TypingTerminal["output"];
  readonly #lines: Interface;
  readonly #message = new MessageInput();
  readonly #completeMessages: (EnteredMessage | "end")[] = [];
  #isPasting = false;
  /** Whether the previous key was Ctrl-C. */
  #wasInterrupted = false;
  /** Resolves the awaited message. */
  #resolveMessage: ((message: EnteredMessage | undefined) => void) | undefined;

  constructor({ input, output }: TypingTerminal) {
    this.#output = output;
    this.#lines = createInterface({
      input,
      output: this.#createOutput(),
      terminal: true,
      historySize: HISTORY_LINES,
      removeHistoryDuplicates: true,
    });
    this.#lines.on("line", (line) => this.#add(line));
    this.#lines.on("SIGINT", () => this.#interrupt());
    this.#lines.on("close", () => this.#push("end"));
    // readline makes the input emit key presses, and ignores `paste-start` and `paste-end`.
    input.on("keypress", (_text, key?: { readonly name?: string }) => {
      if (key?.name === "paste-start") this.#isPasting = true;
      if (key?.name === "paste-end") this.#isPasting = false;
    });
    output.write(ENABLE_BRACKETED_PASTE);
  }

  /** Waits for the next message; `undefined` if the user ends the conversation. */
  async next(): Promise<EnteredMessage | undefined> {
    const nextMessage = this.#completeMessages.shift();
    if (nextMessage !== undefined) return nextMessage === "end" ? undefined : nextMessage;
    return new Promise((resolve) => {
      this.#resolveMessage = resolve;
      this.#prompt();
    });
  }

  /** Releases the terminal. */
  close(): void {
    this.#lines.close();
    this.#output.write(DISABLE_BRACKETED_PASTE);
  }

  /** Wraps the terminal so that readline writes to it only while a message is awaited. */
  #createOutput(): Writable {
    const terminal = this.#output;
    const output = new Writable({
      decodeStrings: false,
      write: (text, _encoding, done) => {
        if (this.#resolveMessage !== undefined) terminal.write(text);
        done();
      },
    });
    Object.defineProperty(output, "columns", { get: () => terminal.columns });
    return output;
  }

  #prompt(): void {
    this.#lines.setPrompt(this.#message.hasBegun ? MORE_PROMPT : PROMPT);
    this.#lines.prompt(true);
  }

  #add(line: string): void {
    this.#wasInterrupted = false;
    const message = this.#message.add(line, this.#isPasting ? "pasted" : "entered");
    if (message !== undefined) this.#push(message);
    if (this.#resolveMessage !== undefined) this.#prompt();
  }

  #push(message: EnteredMessage | "end"): void {
    const resolve = this.#resolveMessage;
    if (resolve === undefined) {
      this.#completeMessages.push(message);
      return;
    }
    this.#resolveMessage = undefined;
    resolve(message === "end" ? undefined : message);
  }

  #interrupt(): void {
    const hadText = this.#discard();
    if (this.#resolveMessage === undefined) {
      this.#wasInterrupted = true;
      this.onInterrupt();
      return;
    }
    if (!hadText && this.#wasInterrupted) {
      this.#lines.close();
      return;
    }
    this.#wasInterrupted = !hadText;
    this.#output.write(hadText ? "\n" : "\n(Ctrl-C again, or Ctrl-D, ends)\n");
    this.#prompt();
  }

  /**
   * Discards the typed text.
   * @returns whether there was any
   */
  #discard(): boolean {
    const { line } = this.#lines;
    const hadText = line !== "" || this.#message.hasBegun;
    this.#message.clear();
    this.#completeMessages.length = 0;
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    return hadText;
  }
}
