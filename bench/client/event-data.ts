/**
 * Parses the data of server-sent events incrementally, with chunk boundaries anywhere. Chat servers
 * write each event's data on one line, so each line is returned as soon as it is complete; comments,
 * other fields and blank lines are ignored.
 */
export class EventData {
  #incompleteLine = "";

  /** The data that this text completes, in order. */
  push(text: string): string[] {
    const lines = (this.#incompleteLine + text).split("\n");
    this.#incompleteLine = lines.pop() ?? "";
    return lines
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trim());
  }
}
