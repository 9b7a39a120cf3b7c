/** An event as a browser reads it. */
export interface ServerSentEvent {
  readonly name: string | undefined;
  readonly data: string;
}

const LINE_BREAK = /\r\n|\n|\r/;

/** Reads a stream of events as the HTML standard interprets it, section 9.2.6. */
export function serverSentEvents(stream: string): readonly ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  let name: string | undefined;
  let data: string[] = [];
  for (const line of stream.split(LINE_BREAK)) {
    if (line === "") {
      if (data.length > 0) events.push({ name, data: data.join("\n") });
      name = undefined;
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") name = value;
    else if (field !== "") throw new Error(`an event has the field ${JSON.stringify(field)}`);
  }
  if (data.length > 0) throw new Error("the stream ends inside an event");
  return events;
}

/** Characters that clients may treat as line breaks, as JavaScript's and Python's libraries do. */
const ANY_LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

/** The JSON values of a stream with one in each line. */
export function jsonLines(stream: string): readonly unknown[] {
  const lines = stream.split(ANY_LINE_BREAK);
  if (lines.pop() !== "") throw new Error("the last line does not end");
  return lines.map((line) => JSON.parse(line));
}
