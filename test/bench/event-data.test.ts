import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventData } from "../../bench/client/event-data.js";

const stream = [
  ": ping\n\n",
  'data: {"a":"x\\ny"}\n\n',
  "event: message\nid: 7\ndata:without a space\r\n\r\n",
  "data: [DONE]\n\n",
].join("");
const data = ['{"a":"x\\ny"}', "without a space", "[DONE]"];

/** All data of a text that arrives in these parts. */
function read(parts: readonly string[]): string[] {
  const events = new EventData();
  return parts.flatMap((part) => events.push(part));
}

describe("EventData", () => {
  it("takes the data out and passes comments and other fields over", () => {
    expect(read([stream])).toEqual(data);
  });

  it("does not depend on where the text is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length)), (cuts) => {
        const borders = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
        const parts = borders.slice(1).map((border, index) => stream.slice(borders[index], border));
        expect(read(parts)).toEqual(data);
      }),
    );
  });

  it("gives an event as soon as its line is whole, and not before", () => {
    const events = new EventData();
    expect(events.push("data: on")).toEqual([]);
    expect(events.push("e\n")).toEqual(["one"]);
  });
});
