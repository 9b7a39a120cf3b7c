import { describe, expect, test } from "vitest";
import type { GenerationEvent } from "../../../src/core/generation-event.js";
import { createTokenIdentity } from "../../../src/engine/cache/prompt-identity.js";
import type { SamplingContext } from "../../../src/engine/native/token-context.js";
import { RunningGeneration } from "../../../src/engine/step/running-generation.js";
import { GeneratedText } from "../../../src/engine/text/output/generated-text.js";
import { OutputParser } from "../../../src/engine/text/output/output-parser.js";
import { plainReading } from "../../support/plain-reading.js";
import { PatternConstraint } from "../simulated/pattern-constraint.js";
import { bytesOf, END, encodedPrompt, tokensOf } from "../simulated/simulated-engine.js";
import { imageOf, type SimulatedImage, segmentOf } from "../simulated/simulated-media.js";
import { noSampler } from "./no-sampler.js";

interface Setup {
  readonly cachedTokens?: number;
  readonly maxTokens?: number;
  readonly pattern?: string;
}

function begin(
  prompt: string | readonly (string | SimulatedImage)[],
  { cachedTokens = 0, maxTokens = 10, pattern }: Setup = {},
) {
  const encoded = encodedPrompt(typeof prompt === "string" ? [prompt] : prompt);
  const { promptTokens, promptMedia = [] } = encoded;
  const stopping = { minTokens: 0, stop: [], ignoreEos: false };
  const events: GenerationEvent[] = [];
  const clock = { now: 100 };
  const heldTokens = promptTokens.slice(0, cachedTokens);
  const held = {
    ...createTokenIdentity(heldTokens),
    get media() {
      return promptMedia.filter(({ start }) => start < heldTokens.length);
    },
  };
  const sampling: Pick<SamplingContext, "promptTokens" | "generated">[] = [];
  let disposals = 0;
  const generation = new RunningGeneration({
    prepared: { id: "g", ...encoded, reading: plainReading, maxTokens, sampling: {}, stopping },
    emit: (event) => events.push(event),
    lease: { number: 1, sequenceId: 3, contents: held, partialMediaCells: 0 },
    admissionOrder: 9,
    reportableTokens: cachedTokens,
    createSampler: (given) => {
      sampling.push(given);
      return { ...noSampler(), dispose: () => disposals++ };
    },
    text: new GeneratedText({ bytesOf, controlTextOf: () => undefined, stop: [], minTokens: 0 }),
    parser: new OutputParser(plainReading),
    endOfGeneration: new Set([END]),
    constraint: pattern === undefined ? undefined : new PatternConstraint(pattern),
    now: () => clock.now,
  });
  return { generation, events, clock, heldTokens, sampling, disposals: () => disposals };
}

describe("RunningGeneration", () => {
  test("evaluates its prompt in slices and requests logits with the last slice", () => {
    const { generation, heldTokens } = begin("abcdef", { cachedTokens: 1 });
    expect([generation.uncomputedTokens, generation.awaitedToken]).toEqual([5, "first"]);
    expect(generation.nextPart(3)).toEqual({
      sequenceId: 3,
      position: 1,
      tokens: tokensOf("bcd"),
      logitsFrom: 3,
    });
    heldTokens.push(...tokensOf("bcd"));
    expect(generation.uncomputedTokens).toBe(2);
    expect(generation.nextPart(2)).toEqual({
      sequenceId: 3,
      position: 4,
      tokens: tokensOf("ef"),
      logitsFrom: 1,
    });
    heldTokens.push(...tokensOf("ef"));
    expect(generation.uncomputedTokens).toBe(0);
  });

  test("counts as decoding, without drafts, if only the last prompt token is missing", () => {
    const { generation, heldTokens } = begin("abc", { cachedTokens: 1 });
    expect([generation.awaitedToken, generation.maxDraftTokens]).toEqual(["first", 0]);
    heldTokens.push(...tokensOf("b"));
    expect([generation.awaitedToken, generation.maxDraftTokens]).toEqual(["next", 0]);
    expect(generation.nextPart(1)).toMatchObject({ tokens: tokensOf("c"), logitsFrom: 0 });
    heldTokens.push(...tokensOf("c"));
    generation.accept(7);
    expect([generation.awaitedToken, generation.maxDraftTokens]).toEqual(["next", 8]);
  });

  test("is evaluated again from the beginning if it continues in an empty sequence", () => {
    const { generation, heldTokens } = begin("ab", { cachedTokens: 2 });
    for (const token of [7, 8]) generation.accept(token);
    heldTokens.push(7);
    generation.resume({
      ...{ number: 2, sequenceId: 1 },
      ...{ contents: createTokenIdentity([]), partialMediaCells: 0 },
    });
    expect([generation.awaitedToken, generation.uncomputedTokens]).toEqual(["first", 4]);
    const part = { sequenceId: 1, position: 0, tokens: [...tokensOf("ab"), 7] };
    expect(generation.nextPart(3)).toEqual({ ...part, logitsFrom: 3 });
  });

  test("decodes by evaluating the last sampled token", () => {
    const { generation, heldTokens } = begin("ab", { cachedTokens: 2 });
    generation.accept(7);
    expect(generation.nextPart(1)).toEqual({
      sequenceId: 3,
      position: 2,
      tokens: [7],
      logitsFrom: 0,
    });
    heldTokens.push(7);
    generation.accept(8);
    expect(generation.nextPart(1)).toMatchObject({ position: 3, tokens: [8] });
  });

  test("requests logits for each token of a speculative draft, and only the last logits of a forced draft", () => {
    const { generation } = begin("ab", { cachedTokens: 2 });
    generation.accept(7);
    const part = { sequenceId: 3, position: 2, tokens: [7, 1, 2] };
    const tokens = [1, 2];
    expect(generation.nextPart(1, { source: "lookup", tokens })).toEqual({
      ...part,
      logitsFrom: 0,
    });
    expect(generation.nextPart(1, { source: "grammar", tokens })).toEqual({
      ...part,
      logitsFrom: 2,
    });
  });

  test("ends with the token that completes its constraint", () => {
    const { generation } = begin("ab", { pattern: "x?" });
    expect(generation.forcedTokens(5)).toEqual(tokensOf("x"));
    const [x = -1, y = -1] = tokensOf("xy");
    expect([generation.accept(x), generation.accept(y)]).toEqual([undefined, "stop"]);
  });

  test("finishes with stop rather than length when its last token completes its constraint", () => {
    const { generation } = begin("ab", { pattern: "x", maxTokens: 1 });
    expect(generation.accept(tokensOf("x")[0] ?? -1)).toBe("stop");
  });

  test("has no forced tokens without a constraint, and no more than the requested number", () => {
    expect(begin("ab").generation.forcedTokens(5)).toEqual([]);
    const { generation } = begin("ab", { pattern: "xyz" });
    expect(generation.forcedTokens(2)).toEqual(tokensOf("xy"));
    expect(generation.forcedTokens(0)).toEqual([]);
  });

  test("re-evaluates tokens dropped by the sequence, and proposes no drafts until then", () => {
    const { generation, heldTokens } = begin("ab", { cachedTokens: 2 });
    for (const token of [7, 8, 9]) generation.accept(token);
    heldTokens.push(7);
    expect([generation.uncomputedTokens, generation.maxDraftTokens]).toEqual([2, 0]);
    expect(generation.nextPart(2)).toEqual({
      sequenceId: 3,
      position: 3,
      tokens: [8, 9],
      logitsFrom: 1,
    });
    heldTokens.push(8);
    expect([generation.uncomputedTokens, generation.maxDraftTokens]).toEqual([1, 6]);
  });

  test.each(["finish", "cancel"] as const)(
    "disposes of its sampler when it ends by %s",
    (ending) => {
      const { generation, disposals } = begin("abc");
      expect(disposals()).toBe(0);
      if (ending === "finish") generation.finish("stop");
      else generation.end({ type: "cancelled" });
      expect(disposals()).toBe(1);
    },
  );

  test("reports its prefill and decode times, up to its last token", () => {
    const { generation, events, clock } = begin("abc");
    clock.now = 130;
    generation.accept(0);
    clock.now = 175;
    generation.accept(1);
    clock.now = 180;
    generation.finish("length");
    expect(events.at(-1)).toMatchObject({ timings: { prefillMs: 30, decodeMs: 45 } });
  });

  test("reports its token counts with each event", () => {
    const { generation, events } = begin("abcd", { cachedTokens: 2 });
    generation.accept(0);
    generation.accept(1);
    expect(generation.accept(END)).toBe("stop");
    expect(generation.settle()).toBe("stop");
    generation.finish("stop");
    const counts = events.map((event) => "usage" in event && event.usage);
    expect(counts).toEqual(
      [1, 2, 3].map((completionTokens) => ({
        promptTokens: 4,
        cachedTokens: 2,
        completionTokens,
        reasoningTokens: 0,
      })),
    );
  });

  test("ends exactly at its token limit", () => {
    const { generation } = begin("abc", { maxTokens: 2 });
    expect([generation.accept(0), generation.accept(1)]).toEqual([undefined, "length"]);
  });

  test("finishes with stop rather than length when its last token is an end token", () => {
    const { generation } = begin("abc", { maxTokens: 1 });
    expect(generation.accept(END)).toBe("stop");
  });
});

describe("a generation with images", () => {
  const photo = imageOf("photo", 3);
  const grid = imageOf("grid", 6, { positions: 3 });
  const prompt = ["ab", photo, "c", grid, "de"];

  test.each([
    [0, 2, ["photo", "grid"]],
    [1, 1, ["photo", "grid"]],
    [2, 0, ["photo", "grid"]],
    [5, 1, ["grid"]],
    [6, 0, ["grid"]],
    [12, Number.POSITIVE_INFINITY, []],
    [13, Number.POSITIVE_INFINITY, []],
  ])(
    "with %i cached cells has %d tokens before the next of the images %j",
    (cachedTokens, tokens, ahead) => {
      const { generation } = begin(prompt, { cachedTokens });
      expect(generation.tokensToMedia).toBe(tokens);
      expect(generation.mediaAhead.map(({ hash }) => hash)).toEqual(ahead);
    },
  );

  test("evaluates the texts between images at llama.cpp's positions", () => {
    const { generation, heldTokens } = begin(prompt);
    const evaluate = (count: number) => {
      const part = generation.nextPart(count);
      heldTokens.push(...part.tokens);
      return [part.position, part.tokens, part.logitsFrom];
    };
    const pass = ({ cells }: SimulatedImage) => heldTokens.push(...new Array(cells).fill(-1));
    expect(evaluate(2)).toEqual([0, tokensOf("ab"), 2]);
    expect(() => generation.nextPart(1)).toThrow("generation g: cannot evaluate media as tokens");
    pass(photo);
    expect(evaluate(1)).toEqual([5, tokensOf("c"), 1]);
    pass(grid);
    expect(generation.uncomputedTokens).toBe(2);
    expect(evaluate(2)).toEqual([9, tokensOf("de"), 1]);
    generation.accept(5);
    expect(evaluate(1)).toEqual([11, [5], 0]);
  });

  test("uses no drafts", () => {
    const { generation, heldTokens } = begin(prompt, { cachedTokens: 13 });
    heldTokens.push(...tokensOf("e"));
    generation.accept(5);
    expect([generation.uncomputedTokens, generation.maxDraftTokens]).toEqual([1, 0]);
  });

  test("excludes images from the tokens for repetition penalties", () => {
    const { generation, sampling } = begin(prompt, { cachedTokens: 13 });
    generation.accept(5);
    expect(sampling).toEqual([{ promptTokens: tokensOf("abcde"), generated: [5] }]);
  });

  test("is identified by its cells, images and answer", () => {
    const { generation } = begin(prompt, { cachedTokens: 13 });
    generation.accept(5);
    const { cells, media } = generation.identity;
    expect(cells).toEqual([...encodedPrompt(prompt).promptTokens, 5]);
    const [first, second] = [segmentOf(photo), segmentOf(grid)].map(
      ({ type: _, ...image }) => image,
    );
    expect(media).toEqual([
      { ...first, start: 2 },
      { ...second, start: 6 },
    ]);
  });
});
