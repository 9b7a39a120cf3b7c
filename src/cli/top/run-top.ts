import { StartupError } from "../../core/startup-error.js";
import { computeMetrics } from "../../live-metrics/live-metrics.js";
import type { Scrape } from "../../live-metrics/scrape.js";
import type { Reading } from "./read-metrics.js";
import { formatTable, type View } from "./table.js";

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
  let previousScrape: Scrape | undefined;
  while (!end.aborted) {
    const reading = await read();
    if (end.aborted) return;
    const view = buildView(reading, previousScrape);
    if (reading.type === "scrape") previousScrape = reading.scrape;
    screen.show(formatTable(view, { url, columns: screen.columns }));
    await wait(intervalMs);
  }
}

/**
 * Returns the table of one interval, for scripts.
 * @throws {StartupError} the server cannot be read
 */
export async function printOnce({ url, intervalMs, read, wait }: TopOptions): Promise<string> {
  const firstScrape = expectScrape(await read(), url);
  await wait(intervalMs);
  const later = expectScrape(await read(), url);
  const view: View = { type: "metrics", metrics: computeMetrics(firstScrape, later) };
  return `${formatTable(view, { url, columns: Infinity }).join("\n")}\n`;
}

function buildView(reading: Reading, earlier: Scrape | undefined): View {
  if (reading.type === "failure") return reading;
  return { type: "metrics", metrics: computeMetrics(earlier, reading.scrape) };
}

function expectScrape(reading: Reading, url: string): Scrape {
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
const ENTER_ALTERNATE_SCREEN = `${ESC}[?1049h${ESC}[?25l`;
const LEAVE_ALTERNATE_SCREEN = `${ESC}[?25h${ESC}[?1049l`;
const CURSOR_HOME = `${ESC}[H`;
const ERASE_LINE_END = `${ESC}[K`;
const ERASE_SCREEN_END = `${ESC}[J`;
/** In raw mode, Ctrl-C is received as a character. */
const QUIT_KEYS = ["q", "Q", "\u0003"];

/** Opens the alternate screen of the terminal; `close` restores the main one. */
export function openScreen(output: TerminalOutput): Screen & { close(): void } {
  output.write(ENTER_ALTERNATE_SCREEN);
  return {
    get columns() {
      return output.columns;
    },
    show: (lines) => {
      const visible = lines.slice(0, output.rows).map((line) => `${line}${ERASE_LINE_END}`);
      output.write(`${CURSOR_HOME}${visible.join("\r\n")}${ERASE_SCREEN_END}`);
    },
    close: () => output.write(LEAVE_ALTERNATE_SCREEN),
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
