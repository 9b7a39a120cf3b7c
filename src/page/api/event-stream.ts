/**
 * Yields the data of server-sent events as it arrives
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). Names, ids and comments are
 * skipped, because the server's events are typed by their data.
 */
export async function* readEventData(
  pieces: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let data: string[] = [];
  for await (const line of splitLines(pieces)) {
    if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
    else if (line === "" && data.length > 0) {
      yield data.join("\n");
      data = [];
    }
  }
}

/**
 * Splits a text that arrives in chunks into lines without line breaks; the last line may lack its
 * line break.
 */
export async function* splitLines(
  pieces: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let partialLine = "";
  for await (const piece of pieces) {
    const lines = (partialLine + piece).split("\n");
    partialLine = lines.pop() ?? "";
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  if (partialLine !== "") yield partialLine;
}
