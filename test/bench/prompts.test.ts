import { describe, expect, it } from "vitest";
import { PromptWriter, textOf, words } from "../../bench/prompts/prompt-writer.js";
import { measureTokensPerWord } from "../../bench/prompts/tokens-per-word.js";
import { counts, record } from "./records.js";

describe("PromptWriter", () => {
  it("writes the same text for the same key and name", () => {
    expect(new PromptWriter("run 1", 2).text("a", 50)).toBe(
      new PromptWriter("run 1", 2).text("a", 50),
    );
  });

  it("begins every text with a unique prefix", () => {
    const keys = Array.from({ length: 50 }, (_, key) => new PromptWriter(`run ${key}`, 2));
    const texts = keys.flatMap((prompts) =>
      Array.from({ length: 100 }, (_, name) => prompts.text(String(name), 10)),
    );
    const prefixes = texts.map((text) => text.split(" ")[0]);
    expect(new Set(prefixes).size).toBe(5000);
  });

  it("writes the number of words that the token target requires, at least one", () => {
    const wordsIn = (text: string) => text.split(" ").length - 1;
    expect(wordsIn(new PromptWriter("k", 2.5).text("a", 1000))).toBe(400);
    expect(wordsIn(new PromptWriter("k", 2.5).text("a", 1))).toBe(1);
  });

  it("writes a number of words without a prefix", () => {
    const prompts = new PromptWriter("k", 2.3);
    expect(prompts.words("a", 5).split(" ")).toHaveLength(5);
    expect(words).toEqual(expect.arrayContaining(prompts.words("a", 5).split(" ")));
    expect(prompts.words("a", 5)).not.toBe(prompts.words("b", 5));
  });

  it("writes the number of words that a token target requires, without a prefix", () => {
    expect(new PromptWriter("k", 2).plainText("a", 10).split(" ")).toHaveLength(5);
  });

  it("makes the same random choices for the same key and name", () => {
    const choice = (key: string, name: string) => new PromptWriter(key, 2).random(name).next();
    expect(choice("run 1", "lengths")).toBe(choice("run 1", "lengths"));
    expect(choice("run 1", "lengths")).not.toBe(choice("run 1", "arrivals"));
    expect(choice("run 1", "lengths")).not.toBe(choice("run 2", "lengths"));
  });

  it("writes the same text in every release", () => {
    expect(textOf("key", 4)).toMatchInlineSnapshot(`"7a0646f922 field colour cold help"`);
  });

  it("has no duplicates in its word list", () => {
    expect(new Set(words).size).toBe(words.length);
  });
});

describe("measureTokensPerWord", () => {
  it("excludes the template's tokens", async () => {
    const perWord = await measureTokensPerWord(async (content) => {
      const wordCount = content.split(" ").length;
      return record({ tokens: counts({ prompt: 17 + 3 * wordCount }) });
    });
    expect(perWord).toBe(3);
  });

  it.each([
    [record({ error: "HTTP 404: no" }), "the server rejected the first request: HTTP 404: no"],
    [record(), "the server: expected usage in its streams (include_usage), got none"],
  ])("rejects with the reason if there is no token count", async (result, reason) => {
    await expect(measureTokensPerWord(async () => result)).rejects.toThrow(reason);
  });
});
