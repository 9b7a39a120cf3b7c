import type { Screen } from "./run-top.js";

/** The part of a terminal that is needed. */
export interface TerminalOutput {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

/** The keys that are pressed there. */
export interface TerminalInput {
  readonly isTTY?: boolean;
  setRawMode(isRaw: boolean): unknown;
  on(event: "data", listener: (keys: Buffer) => void): unknown;
  pause(): unknown;
}

const ESC = "\u001b";
const OTHER_SCREEN = `${ESC}[?1049h${ESC}[?25l`;
const FIRST_SCREEN = `${ESC}[?25h${ESC}[?1049l`;
const HOME = `${ESC}[H`;
const TO_END_OF_LINE = `${ESC}[K`;
const TO_END_OF_SCREEN = `${ESC}[J`;
/** In raw mode, Ctrl-C is a character. */
const QUIT_KEYS = ["q", "Q", "\u0003"];

/** A screen beside the one with the commands, which is there again after `close`. */
export function openScreen(output: TerminalOutput): Screen & { close(): void } {
  output.write(OTHER_SCREEN);
  return {
    get columns() {
      return output.columns;
    },
    show: (lines) => {
      const visible = lines.slice(0, output.rows).map((line) => `${line}${TO_END_OF_LINE}`);
      output.write(`${HOME}${visible.join("\r\n")}${TO_END_OF_SCREEN}`);
    },
    close: () => output.write(FIRST_SCREEN),
  };
}

/** Calls `quit` when q or Ctrl-C is pressed. @returns a function that gives the keyboard back */
export function onQuitKey(input: TerminalInput, quit: () => void): () => void {
  if (!input.isTTY) return () => undefined;
  input.setRawMode(true);
  input.on("data", (keys) => {
    if (QUIT_KEYS.some((key) => keys.includes(key))) quit();
  });
  return () => {
    input.setRawMode(false);
    input.pause();
  };
}
