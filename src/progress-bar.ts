const WIDTH = 30;

/** Where a progress bar is drawn; only terminals get one. */
export interface ProgressTerminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Draws how much of something is done in one line, which is wiped out at the end.
 * @returns a function to call with the progress, 0–1.
 */
export function progressBar(label: string, terminal: ProgressTerminal): (done: number) => void {
  if (!terminal.isTTY) return () => undefined;
  let shown = "";
  return (done) => {
    const filled = Math.round(done * WIDTH);
    const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
    const line = `${label} ${bar} ${Math.floor(done * 100)} %`;
    if (line === shown) return;
    shown = line;
    terminal.write(done >= 1 ? "\r\u001b[K" : `\r${line}`);
  };
}
