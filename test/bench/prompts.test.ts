import { describe, expect, it } from "vitest";
import { PromptWriter, textOf } from "../../bench/prompts/prompt-writer.js";
import { measureTokensPerWord } from "../../bench/prompts/tokens-per-word.js";
import { words } from "../../bench/prompts/words.js";
import { counts, record } from "./records.js";

describe("PromptWriter", () => {
  it("writes the same text for the same key and name", () => {
    expect(new PromptWriter("run 1", 2).text("a", 50)).toBe(
      new PromptWriter("run 1", 2).text("a", 50),
    );
  });

  it("gives every text a beginning of its own", () => {
    const keys = Array.from({ length: 50 }, (_, key) => new PromptWriter(`run ${key}`, 2));
    const texts = keys.flatMap((prompts) =>
      Array.from({ length: 100 }, (_, name) => prompts.text(String(name), 10)),
    );
    const beginnings = texts.map((text) => text.split(" ")[0]);
    expect(new Set(beginnings).size).toBe(5000);
  });

  it("writes as many words as come to the tokens asked for, one at least", () => {
    const wordsIn = (text: string) => text.split(" ").length - 1;
    expect(wordsIn(new PromptWriter("k", 2.5).text("a", 1000))).toBe(400);
    expect(wordsIn(new PromptWriter("k", 2.5).text("a", 1))).toBe(1);
  });

  it("writes so many words alone, too", () => {
    const prompts = new PromptWriter("k", 2.3);
    expect(prompts.words("a", 5).split(" ")).toHaveLength(5);
    expect(words).toEqual(expect.arrayContaining(prompts.words("a", 5).split(" ")));
    expect(prompts.words("a", 5)).not.toBe(prompts.words("b", 5));
  });

  it("stays the same from one version to the next", () => {
    expect(textOf("key", 4)).toMatchInlineSnapshot(`"7a0646f922 field colour cold help"`);
  });

  it("has no word twice in its list", () => {
    expect(new Set(words).size).toBe(words.length);
  });
});

describe("measureTokensPerWord", () => {
  it("leaves the template's tokens out", async () => {
    const perWord = await measureTokensPerWord(async ({ messages: [message] }) => {
      const said = message?.content.split(" ").length ?? 0;
      return record({ tokens: counts({ prompt: 17 + 3 * said }) });
    });
    expect(perWord).toBe(3);
  });

  it.each([
    [record({ error: "HTTP 404: no" }), "the server refused a first request: HTTP 404: no"],
    [record(), "the server: expected usage in its streams (include_usage), got none"],
  ])("without a count it says why", async (answer, reason) => {
    await expect(measureTokensPerWord(async () => answer)).rejects.toThrow(reason);
  });
});
