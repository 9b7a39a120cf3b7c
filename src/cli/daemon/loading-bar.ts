import { createProgressBar, type ProgressTerminal } from "../../serve/start-screen.js";

/** Maximum progress shown; below 1, because a full bar is removed. */
const ALMOST_DONE = 0.99;
const DONE = 1;

/** Shows at most one progress bar, on terminals only. */
export class LoadingBar {
  readonly #terminal: ProgressTerminal;
  #label: string | undefined;
  #draw: (progress: number) => void = () => undefined;

  constructor(terminal: ProgressTerminal) {
    this.#terminal = terminal;
  }

  /** @param progress 0–1 */
  show(label: string, progress = 0): void {
    if (label !== this.#label) {
      this.remove();
      this.#draw = createProgressBar(label, this.#terminal);
      this.#label = label;
    }
    this.#draw(Math.min(progress, ALMOST_DONE));
  }

  remove(): void {
    if (this.#label !== undefined) this.#draw(DONE);
    this.#label = undefined;
  }
}
