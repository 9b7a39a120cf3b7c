import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StopMatcher } from "../../../../src/engine/text/output/stop-matcher.js";
import { splitAt } from "./split-at.js";

interface Outcome {
  readonly visible: string;
  readonly stopped: boolean;
}

/** The visible text of a stream of chunks, up to a stop string or its end. */
function stream(chunks: readonly string[], stops: readonly string[]): Outcome {
  const matcher = new StopMatcher(stops);
  let visible = "";
  for (const chunk of chunks) {
    const { text, stopped } = matcher.push(chunk);
    visible += text;
    if (stopped) return { visible, stopped };
  }
  return { visible: visible + matcher.flush(), stopped: false };
}

/**
 * Reference implementation, character by character: the first completed stop string ends the text.
 */
function reference(text: string, stops: readonly string[]): Outcome {
  for (let end = 0; end <= text.length; end++) {
    const complete = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    const longest = Math.max(...complete.map((stop) => stop.length));
    if (complete.length > 0) return { visible: text.slice(0, end - longest), stopped: true };
  }
  return { visible: text, stopped: false };
}

/** A small alphabet, so that stop strings and their beginnings are frequent. */
const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength, maxLength });

const stopStrings = fc.array(letters(1, 4), { minLength: 1, maxLength: 4 });

describe("StopMatcher", () => {
  test("returns the same text for any split into chunks", () => {
    fc.assert(
      fc.property(letters(0, 30), stopStrings, fc.array(fc.nat(30)), (text, stops, positions) => {
        expect(stream(splitAt(text, positions), stops)).toEqual(reference(text, stops));
      }),
    );
  });

  test("holds back exactly the suffix that may become a stop string", () => {
    fc.assert(
      fc.property(letters(0, 20), stopStrings, (text, stops) => {
        const { text: visible, stopped } = new StopMatcher(stops).push(text);
        fc.pre(!stopped);
        const heldFrom = [...text].findIndex((_, start) =>
          stops.some((stop) => stop.startsWith(text.slice(start))),
        );
        expect(visible).toBe(heldFrom < 0 ? text : text.slice(0, heldFrom));
      }),
    );
  });

  test.each<{ chunks: string[]; stops: string[]; emitted: string[]; flushed: string }>([
    { chunks: ["ab"], stops: [], emitted: ["ab"], flushed: "" },
    { chunks: ["x", "\n", "y"], stops: ["\n\n"], emitted: ["x", "", "\ny"], flushed: "" },
    { chunks: ["x\n"], stops: ["\n\n"], emitted: ["x"], flushed: "\n" },
    { chunks: ["aab"], stops: ["aac"], emitted: ["aab"], flushed: "" },
    { chunks: ["aa", "a"], stops: ["aab"], emitted: ["", "a"], flushed: "aa" },
    { chunks: ["a", "b"], stops: ["abc", "bd"], emitted: ["", ""], flushed: "ab" },
    { chunks: ["😀x"], stops: ["😁"], emitted: ["😀x"], flushed: "" },
  ])(
    "emits $emitted for $chunks with the stop strings $stops",
    ({ chunks, stops, emitted, flushed }) => {
      const matcher = new StopMatcher(stops);
      expect(chunks.map((chunk) => matcher.push(chunk).text)).toEqual(emitted);
      expect(matcher.flush()).toBe(flushed);
      expect(matcher.flush()).toBe("");
    },
  );

  test("drops the stop string and the text after it", () => {
    const matcher = new StopMatcher(["###"]);
    expect(matcher.push("Hi #")).toEqual({ text: "Hi ", stopped: false });
    expect(matcher.push("## Next")).toEqual({ text: "", stopped: true });
    expect(matcher.flush()).toBe("");
  });

  test.each([
    { stops: ["d", "b"], text: "abcd", visible: "a", found: "b" },
    { stops: ["abcde", "bcd"], text: "abcde", visible: "a", found: "bcd" },
    { stops: ["cd", "bcd"], text: "abcd", visible: "a", found: "bcd" },
  ])("ends $text at the first completed, then longest, of the stop strings $stops", (sample) => {
    const { stops, text, visible, found } = sample;
    for (const ordered of [stops, stops.toReversed()]) {
      const matcher = new StopMatcher(ordered);
      matcher.push(text);
      expect(matcher.foundStop).toBe(found);
      expect(stream([text], ordered)).toEqual({ visible, stopped: true });
      expect(stream([...text], ordered)).toEqual({ visible, stopped: true });
    }
  });
});
