/**
 * Takes the data out of server-sent events as their text arrives, wherever it is cut. Chat servers
 * write each event's data in one line, so a line is given as soon as it is whole; comments, other
 * fields and blank lines are passed over.
 */
export class EventData {
  #rest = "";

  /** The data that this text completes, in order. */
  push(text: string): string[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trim());
  }
}
