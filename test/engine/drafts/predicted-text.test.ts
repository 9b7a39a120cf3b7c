import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PredictedText } from "../../../src/engine/drafts/predicted-text.js";

const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0));

function follow(predicted: string, prompt = "") {
  const text = letters(prompt);
  const prediction = new PredictedText({
    predicted: letters(predicted),
    text,
    promptTokens: text.length,
  });
  return {
    write: (more: string) => text.push(...letters(more)),
    proposed: (maxTokens = 4) => String.fromCharCode(...prediction.propose(maxTokens)),
  };
}

/** Proposals of at most four tokens after each token of an answer. */
function proposals(predicted: string, answer: string): string[] {
  const { write, proposed } = follow(predicted);
  return [...answer].map((letter) => {
    write(letter);
    return proposed();
  });
}

describe("a predicted text", () => {
  test("is proposed from its beginning, and where the answer matches it", () => {
    const { write, proposed } = follow("abcdefgh", "question");
    expect(proposed()).toBe("abcd");
    write("abc");
    expect(proposed()).toBe("defg");
    expect(proposed(1)).toBe("d");
    write("defgh");
    expect(proposed()).toBe("");
    write("i");
    expect(proposed()).toBe("");
  });

  test.each<[string, string, string, string[]]>([
    ["a replaced token", "abcdefghij", "abXdefg", ["bcde", "cdef", "", "", "", "ghij", "hij"]],
    ["an inserted token", "abcdefgh", "abXcdef", ["bcde", "cdef", "", "", "", "fgh", "gh"]],
    ["an omitted part", "abcdefghijkl", "abghijk", ["bcde", "cdef", "", "", "jkl", "kl", "l"]],
    [
      "a preamble",
      "abcdef",
      "Sure: abcd",
      [..."Sure: "].map(() => "").concat("", "cdef", "def", "ef"),
    ],
    [
      "a part that comes earlier",
      "abcdefgh",
      "efghabcd",
      ["", "", "h", "", "", "cdef", "defg", "efgh"],
    ],
  ])("is resumed after %s", (_, predicted, answer, expected) => {
    expect(proposals(predicted, answer)).toEqual(expected);
  });

  test("resumes at the next of several similar occurrences", () => {
    const rows = "x=1; y=1; z=1; w=1; ";
    const { write, proposed } = follow(rows);
    write("x=1; y=2; ");
    expect(proposed(5)).toBe("");
    write("z=1");
    expect(proposed(5)).toBe("; w=1");
  });

  test("is abandoned immediately after a wrong match", () => {
    const { write, proposed } = follow("abcdefgh....cdeXYZ");
    write("abQcde");
    expect(proposed()).toBe("fgh.");
    write("X");
    expect(proposed()).toBe("YZ");
    write("Q");
    expect(proposed()).toBe("");
    write("bcd");
    expect(proposed()).toBe("efgh");
  });

  test("is only searched nearby", () => {
    const far = `abc${".".repeat(10_000)}xyz!`;
    const { write, proposed } = follow(far);
    write("xyz");
    expect(proposed()).toBe("");
  });

  test("continues a beginning of the answer given in the prompt", () => {
    const { write, proposed } = follow("abcdefgh", "question: abc");
    write("d");
    expect(proposed()).toBe("efgh");
  });

  test("may be empty or short", () => {
    expect(proposals("", "abc")).toEqual(["", "", ""]);
    expect(proposals("a", "aaa")).toEqual(["", "", ""]);
  });

  const tokens = fc.array(fc.nat(3), { maxLength: 30 });

  test("is proposed only after matching tokens or from its beginning", () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, (predicted, prompt, answer) => {
        const text = [...prompt];
        const prediction = new PredictedText({ predicted, text, promptTokens: prompt.length });
        for (const token of answer) {
          text.push(token);
          const proposed = prediction.propose(5);
          if (proposed.length === 0) continue;
          const positions = predicted
            .map((_, position) => position)
            .filter(
              (position) =>
                predicted.slice(position, position + 5).join() === proposed.join() &&
                (isPrefix(predicted, position, text.slice(prompt.length)) ||
                  agrees(predicted, position, text)),
            );
          expect(positions).not.toEqual([]);
        }
      }),
    );
  });

  test("is proposed at every token of an identical answer", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 1, maxLength: 60 }), (answer) => {
        const text: number[] = [];
        const prediction = new PredictedText({ predicted: answer, text, promptTokens: 0 });
        for (const [index, token] of answer.entries()) {
          expect(prediction.propose(3)).toEqual(answer.slice(index, index + 3));
          text.push(token);
        }
      }),
    );
  });
});

function isPrefix(predicted: readonly number[], position: number, answer: readonly number[]) {
  return answer.length === position && answer.join() === predicted.slice(0, position).join();
}

function agrees(predicted: readonly number[], position: number, text: readonly number[]) {
  const length = Math.min(3, position);
  return (
    length >= 2 &&
    predicted.slice(position - length, position).join() === text.slice(-length).join()
  );
}
