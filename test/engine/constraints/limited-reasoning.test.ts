import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GenerationConstraint } from "../../../src/engine/constraints/grammar-progress.js";
import { LimitedReasoning } from "../../../src/engine/constraints/limited-reasoning.js";
import { GeneratedText } from "../../../src/engine/text/output/generated-text.js";
import { OutputParser } from "../../../src/engine/text/output/output-parser.js";
import type { ReasoningLimit } from "../../../src/engine/text/prompt/prepared-generation.js";
import { plainReading } from "../../support/plain-reading.js";
import { encode } from "../text/output/byte-vocabulary.js";
import { readOutput } from "../text/output/read-output.js";

/** Tokens are bytes, plus a control token for the closing mark if the test uses one. */
const CLOSE = 256;
const bytesOf = (token: number) => (token < CLOSE ? Uint8Array.of(token) : new Uint8Array());
const usual = { before: "\n", mark: "</think>", lineBreaksAfter: "\n\n" };

interface Setting {
  readonly beginsWith?: "reasoning" | "optional-reasoning";
  readonly limit: Partial<ReasoningLimit> & Pick<ReasoningLimit, "maxTokens">;
  readonly mark?: "text" | "control token";
  readonly constraint?: GenerationConstraint;
}

function limited({ beginsWith = "reasoning", limit, mark = "text", constraint }: Setting) {
  const isControl = mark === "control token";
  const controlTextOf = (token: number) => (token === CLOSE ? "</think>" : undefined);
  return new LimitedReasoning({
    limit: { closing: usual, ...limit },
    parser: new OutputParser({ ...plainReading, beginsWith }),
    text: new GeneratedText({ bytesOf, controlTextOf, stop: [], minTokens: 0 }),
    tokenize: (text, controlTokens) => {
      if (!isControl || controlTokens === "literal") return [...encode(text)];
      const [before = "", lineBreaksAfter] = text.split("</think>");
      return lineBreaksAfter === undefined
        ? [...encode(before)]
        : [...encode(before), CLOSE, ...encode(lineBreaksAfter)];
    },
    constraint,
  });
}

/**
 * Output of a model that writes the given bytes, including the forced text.
 * @param beforeEach called before each byte
 */
function write(
  setting: Setting,
  wanted: Uint8Array,
  beforeEach: (limit: LimitedReasoning) => void = () => undefined,
): readonly number[] {
  const limit = limited(setting);
  const written: number[] = [];
  for (const byte of wanted) {
    beforeEach(limit);
    for (;;) {
      const [forced] = limit.forcedTokens(1);
      if (forced === undefined) break;
      limit.accept(forced);
      written.push(forced);
    }
    limit.accept(byte);
    written.push(byte);
  }
  return written;
}

const textOf = (tokens: readonly number[]) =>
  tokens.map((token) => (token === CLOSE ? "[CLOSE]" : String.fromCharCode(token))).join("");

const writeText = (
  setting: Setting,
  wanted: string,
  beforeEach?: (limit: LimitedReasoning) => void,
) => textOf(write(setting, encode(wanted), beforeEach));

describe("reasoning with a token limit", () => {
  it.each<[string, Setting, string, string]>([
    ["is closed at the limit", { limit: { maxTokens: 3 } }, "abcd", "abc\n</think>\n\nd"],
    [
      "is closed immediately if the limit is 0",
      { limit: { maxTokens: 0 } },
      "a",
      "\n</think>\n\na",
    ],
    [
      "is unchanged if the model closes it before the limit",
      { limit: { maxTokens: 12 } },
      "abc</think>defghijklmnopq",
      "abc</think>defghijklmnopq",
    ],
    [
      "ends with the closing mark that the model has begun",
      { limit: { maxTokens: 5 } },
      "abc</d",
      "abc</think>\n\nd",
    ],
    [
      "keeps a character that could begin a mark, but is more often text",
      { limit: { maxTokens: 3 } },
      "a <b",
      "a <\n</think>\n\nb",
    ],
    [
      "ends without a second line break if the model has written one",
      { limit: { maxTokens: 3 } },
      "ab\nc",
      "ab\n</think>\n\nc",
    ],
    [
      "ends with the configured message",
      { limit: { maxTokens: 2, message: " Time is up." } },
      "abc",
      "ab Time is up.\n</think>\n\nc",
    ],
    [
      "ends with the closing control token",
      { limit: { maxTokens: 2 }, mark: "control token" },
      "abc",
      "ab\n[CLOSE]\n\nc",
    ],
    [
      "ends with the whole control token if the model has begun its name as text",
      { limit: { maxTokens: 4 }, mark: "control token" },
      "ab</c",
      "ab</\n[CLOSE]\n\nc",
    ],
    [
      "is counted from the opening mark of the model",
      { limit: { maxTokens: 2 }, beginsWith: "optional-reasoning" },
      "<think>abc",
      "<think>ab\n</think>\n\nc",
    ],
    [
      "is closed immediately after the opening mark if the limit is 0",
      { limit: { maxTokens: 0 }, beginsWith: "optional-reasoning" },
      "<think>a",
      "<think>\n</think>\n\na",
    ],
    [
      "has no effect if the model does not open reasoning",
      { limit: { maxTokens: 0 }, beginsWith: "optional-reasoning" },
      "abc <think> d",
      "abc <think> d",
    ],
  ])("%s", (_, setting, wanted, written) => {
    expect(writeText(setting, wanted)).toBe(written);
  });

  it.each<[string, Setting["limit"], string, string]>([
    ["without a budget", { maxTokens: Number.POSITIVE_INFINITY }, "abc", "ab\n</think>\n\nc"],
    ["before its budget is used up", { maxTokens: 5 }, "abcdef", "ab\n</think>\n\ncdef"],
    ["with its message", { maxTokens: 9, message: " Go." }, "abc", "ab Go.\n</think>\n\nc"],
  ])("is ended by a client after the next token, %s", (_, limit, wanted, written) => {
    let count = 0;
    const ended = writeText({ limit }, wanted, (limited) => {
      if (++count === 2) expect(limited.end()).toBe(true);
    });
    expect(ended).toBe(written);
  });

  it("is not ended by a client where the model does not reason", () => {
    const limit = { maxTokens: Number.POSITIVE_INFINITY };
    const ended = writeText({ limit, beginsWith: "optional-reasoning" }, "abc", (limited) =>
      expect(limited.end()).toBe(false),
    );
    expect(ended).toBe("abc");
  });

  it("ends after a whole character", () => {
    for (const maxTokens of [2, 3, 4, 5]) {
      const written = write({ limit: { maxTokens } }, encode("a😀b"));
      expect(Buffer.from(written).toString()).toBe("a😀\n</think>\n\nb");
    }
  });

  it("waits at most for the length of a character", () => {
    const lead = Uint8Array.from({ length: 9 }, () => 0xf0);
    const written = write({ limit: { maxTokens: 2 } }, lead);
    expect(written.indexOf(0x0a)).toBe(5);
  });

  it("forces the complete closing mark if there is no other constraint", () => {
    const limit = limited({ limit: { maxTokens: 0 } });
    expect(textOf(limit.forcedTokens(100))).toBe("\n</think>\n\n");
    expect(textOf(limit.forcedTokens(3))).toBe("\n</");
    expect(limit.isComplete).toBe(false);
    expect(limit.allows(0)).toBe(true);
  });

  /** A constraint that allows only these bytes, and forces the last one of them. */
  function only(allowed: string): GenerationConstraint {
    const bytes = [...encode(allowed)];
    return {
      isComplete: false,
      allows: (token) => bytes.includes(token),
      allowedTokens: () => Uint32Array.of(1),
      accept: (token) => expect(bytes).toContain(token),
      forcedTokens: () => [],
    };
  }

  it("omits a closing mark that a constraint forbids, without retrying", () => {
    const setting = { limit: { maxTokens: 1 }, constraint: only("abc\n</") } as const;
    expect(writeText(setting, "abcabc")).toBe("a\n</bcabc");
  });

  it("allows the tokens that the answer's constraint allows", () => {
    const limit = limited({ limit: { maxTokens: 1 }, constraint: only("ab") });
    expect([limit.allows(0x61), limit.allows(0x63)]).toEqual([true, false]);
    expect(limit.allowedTokens()).toEqual(Uint32Array.of(1));
  });

  it("exceeds the limit by at most one character, and is unchanged before the closing mark", () => {
    const wantedText = fc.string({
      unit: fc.constantFrom("a", "é", "😀", "\n", "<", "/"),
      maxLength: 20,
    });
    fc.assert(
      fc.property(
        wantedText,
        fc.nat(30),
        fc.constantFrom("text", "control token"),
        fc.constantFrom("", "Enough."),
        (wanted, maxTokens, mark, message) => {
          const setting = { limit: { maxTokens, message }, mark } as const;
          const written = write(setting, encode(`${wanted}${"z".repeat(40)}`));
          const pieces = written.flatMap((token) =>
            token === CLOSE ? [CLOSE] : [...bytesOf(token)],
          );
          const at = pieces.indexOf(CLOSE);
          const whole =
            at < 0
              ? Buffer.from(pieces).toString()
              : `${Buffer.from(pieces.slice(0, at))}</think>${Buffer.from(pieces.slice(at + 1))}`;
          const parts = readOutput([whole], { beginsWith: "reasoning" });
          const reasoning = parts.flatMap((part) => ("reasoning" in part ? [part.reasoning] : []));
          const content = parts.flatMap((part) => ("text" in part ? [part.text] : []));
          const thought = reasoning.join("").slice(0, -message.length || undefined);
          expect(encode(thought).length).toBeLessThan(maxTokens + 4);
          expect(content).toEqual([expect.stringMatching(/^\S/)]);
        },
      ),
    );
  });
});
