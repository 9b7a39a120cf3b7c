/** The data of each event of a stream, as it was sent. */
export function eventData(body: string): string[] {
  return body
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""));
}

/** The JSON of each event but the terminator. */
export function eventJson<Chunk>(body: string): Chunk[] {
  return eventData(body)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as Chunk);
}
