import { StartupError } from "../../core/startup-error.js";
import { computeMetrics } from "../../live-metrics/live-metrics.js";
import type { Scrape } from "../../live-metrics/scrape.js";
import type { Reading } from "./read-metrics.js";
import { tableLines, type View } from "./table.js";

/** Screen that is redrawn repeatedly. */
export interface Screen {
  readonly columns: number;
  /** Replaces the shown lines. */
  show(lines: readonly string[]): void;
}

export interface TopOptions {
  readonly url: string;
  readonly intervalMs: number;
  readonly read: () => Promise<Reading>;
  /** Resolves when the time has passed or the program should end. */
  readonly wait: (ms: number) => Promise<void>;
}

/** Redraws the table after each interval, until aborted. Failed reads are retried. */
export async function showLive(
  { url, intervalMs, read, wait }: TopOptions,
  screen: Screen,
  end: AbortSignal,
): Promise<void> {
  let earlier: Scrape | undefined;
  while (!end.aborted) {
    const reading = await read();
    if (end.aborted) return;
    const view = viewOf(reading, earlier);
    if (reading.type === "scrape") earlier = reading.scrape;
    screen.show(tableLines(view, { url, columns: screen.columns }));
    await wait(intervalMs);
  }
}

/**
 * Returns the table of one interval, for scripts.
 * @throws {StartupError} the server cannot be read
 */
export async function printOnce({ url, intervalMs, read, wait }: TopOptions): Promise<string> {
  const earlier = scrapeOf(await read(), url);
  await wait(intervalMs);
  const later = scrapeOf(await read(), url);
  const view: View = { type: "metrics", metrics: computeMetrics(earlier, later) };
  return `${tableLines(view, { url, columns: Infinity }).join("\n")}\n`;
}

function viewOf(reading: Reading, earlier: Scrape | undefined): View {
  if (reading.type === "failure") return reading;
  return { type: "metrics", metrics: computeMetrics(earlier, reading.scrape) };
}

function scrapeOf(reading: Reading, url: string): Scrape {
  if (reading.type === "scrape") return reading.scrape;
  throw new StartupError(`${url} ${reading.reason}`);
}

/** Subset of a terminal's output stream. */
export interface TerminalOutput {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

/** Subset of a terminal's input stream. */
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
/** In raw mode, Ctrl-C is received as a character. */
const QUIT_KEYS = ["q", "Q", "\u0003"];

/** Opens the alternate screen of the terminal; `close` restores the main one. */
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

/**
 * Calls `quit` when q or Ctrl-C is pressed.
 * @returns a function that releases the keyboard
 */
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
