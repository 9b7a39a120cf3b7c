import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StopMatcher } from "../../../src/engine/output/stop-matcher.js";
import { cutInto } from "./cuts.js";

interface Outcome {
  readonly visible: string;
  readonly stopped: boolean;
}

/** What a stream of pieces shows, up to its stop or to its end. */
function stream(pieces: readonly string[], stops: readonly string[]): Outcome {
  const matcher = new StopMatcher(stops);
  let visible = "";
  for (const piece of pieces) {
    const { text, stopped } = matcher.push(piece);
    visible += text;
    if (stopped) return { visible, stopped };
  }
  return { visible: visible + matcher.flush(), stopped: false };
}

/** The same, one character after the other: the stop string that is complete first counts. */
function reference(text: string, stops: readonly string[]): Outcome {
  for (let end = 0; end <= text.length; end++) {
    const complete = stops.filter((stop) => text.slice(0, end).endsWith(stop));
    const longest = Math.max(...complete.map((stop) => stop.length));
    if (complete.length > 0) return { visible: text.slice(0, end - longest), stopped: true };
  }
  return { visible: text, stopped: false };
}

/** With few letters, stop strings and their beginnings are everywhere. */
const letters = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength, maxLength });

const stopStrings = fc.array(letters(1, 4), { minLength: 1, maxLength: 4 });

describe("StopMatcher", () => {
  test("shows the same text however the text is cut", () => {
    fc.assert(
      fc.property(letters(0, 30), stopStrings, fc.array(fc.nat(30)), (text, stops, cuts) => {
        expect(stream(cutInto(text, cuts), stops)).toEqual(reference(text, stops));
      }),
    );
  });

  test("holds back exactly the end that may become a stop string", () => {
    fc.assert(
      fc.property(letters(0, 20), stopStrings, (text, stops) => {
        const { text: visible, stopped } = new StopMatcher(stops).push(text);
        fc.pre(!stopped);
        const openEnd = [...text].findIndex((_, start) =>
          stops.some((stop) => stop.startsWith(text.slice(start))),
        );
        expect(visible).toBe(openEnd < 0 ? text : text.slice(0, openEnd));
      }),
    );
  });

  test.each<{ pieces: string[]; stops: string[]; shown: string[]; rest: string }>([
    { pieces: ["ab"], stops: [], shown: ["ab"], rest: "" },
    { pieces: ["x", "\n", "y"], stops: ["\n\n"], shown: ["x", "", "\ny"], rest: "" },
    { pieces: ["x\n"], stops: ["\n\n"], shown: ["x"], rest: "\n" },
    { pieces: ["aab"], stops: ["aac"], shown: ["aab"], rest: "" },
    { pieces: ["aa", "a"], stops: ["aab"], shown: ["", "a"], rest: "aa" },
    { pieces: ["a", "b"], stops: ["abc", "bd"], shown: ["", ""], rest: "ab" },
    { pieces: ["😀x"], stops: ["😁"], shown: ["😀x"], rest: "" },
  ])("$pieces with stops $stops shows $shown", ({ pieces, stops, shown, rest }) => {
    const matcher = new StopMatcher(stops);
    expect(pieces.map((piece) => matcher.push(piece).text)).toEqual(shown);
    expect(matcher.flush()).toBe(rest);
    expect(matcher.flush()).toBe("");
  });

  test("drops the stop string and what follows it", () => {
    const matcher = new StopMatcher(["###"]);
    expect(matcher.push("Hi #")).toEqual({ text: "Hi ", stopped: false });
    expect(matcher.push("## Next")).toEqual({ text: "", stopped: true });
    expect(matcher.flush()).toBe("");
  });

  test.each([
    { stops: ["d", "b"], text: "abcd", visible: "a" },
    { stops: ["abcde", "bcd"], text: "abcde", visible: "a" },
    { stops: ["cd", "bcd"], text: "abcd", visible: "a" },
  ])("of the stop strings $stops the first complete, then the longest, ends $text", (sample) => {
    const { stops, text, visible } = sample;
    for (const given of [stops, stops.toReversed()]) {
      expect(stream([text], given)).toEqual({ visible, stopped: true });
      expect(stream([...text], given)).toEqual({ visible, stopped: true });
    }
  });
});
