/** The raw data of each event of a stream, named or not. */
export function eventData(body: string): string[] {
  return body
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^(?:event: [^\n]*\n)?data: /, ""));
}

/** The parsed data of each event except the terminator. */
export function eventJson<Chunk>(body: string): Chunk[] {
  return eventData(body)
    .filter((data) => data !== "[DONE]")
    .map((data) => JSON.parse(data) as Chunk);
}
