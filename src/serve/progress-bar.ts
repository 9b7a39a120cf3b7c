const WIDTH = 30;

/** The output of a progress bar; nothing is drawn unless it is a terminal. */
export interface ProgressTerminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Draws a progress bar on one line, which is cleared at the end.
 * @returns a function to call with the progress, 0–1
 */
export function progressBar(label: string, terminal: ProgressTerminal): (progress: number) => void {
  if (!terminal.isTTY) return () => undefined;
  let lastLine = "";
  return (progress) => {
    const filled = Math.round(progress * WIDTH);
    const bar = `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
    const line = `${label} ${bar} ${Math.floor(progress * 100)} %`;
    if (line === lastLine) return;
    lastLine = line;
    terminal.write(progress >= 1 ? "\r\u001b[K" : `\r${line}`);
  };
}
