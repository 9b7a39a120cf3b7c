import { createProgressBar, type ProgressTerminal } from "../../../src/serve/start-screen.js";

/**
 * Shows progress: a bar on a terminal, otherwise a line per tenth.
 * @returns a function to call with the progress, 0–1
 */
export function progressOn(
  terminal: ProgressTerminal,
  label: string,
  total: number,
): (done: number) => void {
  if (terminal.isTTY) return createProgressBar(label, terminal);
  let shown = 0;
  return (done) => {
    const tenths = Math.floor(done * 10);
    if (tenths === shown) return;
    shown = tenths;
    terminal.write(`${label} ${Math.round(done * total)}/${total}\n`);
  };
}
