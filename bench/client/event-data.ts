import type { Framing } from "./dialects/dialect.js";

/**
 * Incremental parser of server-sent event data or JSON lines, with chunk boundaries anywhere.
 * Servers write each event's data on one line, so each line is returned as soon as it is complete;
 * comments, other fields and blank lines are ignored.
 */
export class EventData {
  readonly #prefix: string;
  #incompleteLine = "";

  constructor(framing: Framing) {
    this.#prefix = framing === "lines" ? "" : "data:";
  }

  /** Returns the data that this text completes, in order. */
  push(text: string): string[] {
    const lines = (this.#incompleteLine + text).split("\n");
    this.#incompleteLine = lines.pop() ?? "";
    return lines
      .filter((line) => line.startsWith(this.#prefix))
      .map((line) => line.slice(this.#prefix.length).trim())
      .filter((data) => data !== "");
  }
}
