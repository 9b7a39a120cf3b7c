import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventData } from "../../bench/client/http-client.js";

const stream = [
  ": ping\n\n",
  'data: {"a":"x\\ny"}\n\n',
  "event: message\nid: 7\ndata:without a space\r\n\r\n",
  "data: [DONE]\n\n",
].join("");
const data = ['{"a":"x\\ny"}', "without a space", "[DONE]"];

/** Reads all data of a stream that arrives in the given chunks. */
function read(chunks: readonly string[]): string[] {
  const events = new EventData("server-sent events");
  return chunks.flatMap((chunk) => events.push(chunk));
}

describe("EventData", () => {
  it("returns the data of events and ignores comments and other fields", () => {
    expect(read([stream])).toEqual(data);
  });

  it("does not depend on chunk boundaries", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
        const chunks = bounds.slice(1).map((bound, index) => stream.slice(bounds[index], bound));
        expect(read(chunks)).toEqual(data);
      }),
    );
  });

  it("returns an event as soon as its line is complete", () => {
    const events = new EventData("server-sent events");
    expect(events.push("data: on")).toEqual([]);
    expect(events.push("e\n")).toEqual(["one"]);
  });

  it("returns whole lines for a stream of JSON lines", () => {
    const events = new EventData("lines");
    expect(events.push('{"a":1}\n{"data:')).toEqual(['{"a":1}']);
    expect(events.push('":2}\n\n')).toEqual(['{"data:":2}']);
  });
});
