/**
 * The data of server-sent events, as it comes (https://html.spec.whatwg.org/multipage/server-sent-events.html). Names,
 * ids and comments are skipped: each event of this server says in its data what it is.
 * @returns the texts of the data; it ends with the stream
 */
export async function* eventData(
  pieces: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let data: string[] = [];
  for await (const line of linesOf(pieces)) {
    if (line.startsWith("data:")) data.push(line.slice("data:".length).replace(/^ /, ""));
    else if (line === "" && data.length > 0) {
      yield data.join("\n");
      data = [];
    }
  }
}

/** The lines of a text that comes in pieces, without their ends; the last one too if it has none. */
export async function* linesOf(
  pieces: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield line.replace(/\r$/, "");
  }
  if (rest !== "") yield rest;
}
