import { describe, expect, it } from "vitest";
import { fillIn, findPrompts, variablesOf } from "../../../src/page/prompts/prompt.js";
import { mergePrompts, parsePrompts, printPrompts } from "../../../src/page/prompts/prompt-file.js";

const prompt = (title: string, text = title) => ({ title, text });

describe("the variables of a prompt", () => {
  it.each([
    ["Translate", []],
    ["Translate {{text}} to {{ language }}", ["text", "language"]],
    ["{{a}} and {{a}}", ["a"]],
    ["{{}} {a} {{ a\nb }} {{{c}}}", ["c"]],
  ])("%j", (text, names) => {
    expect(variablesOf(text)).toEqual(names);
  });

  it("are replaced by their values, as they are", () => {
    const values = new Map([
      ["text", "$& {{language}}"],
      ["language", "French"],
    ]);
    expect(fillIn("{{ text }} to {{language}} for {{other}}", values)).toBe(
      "$& {{language}} to French for {{other}}",
    );
  });
});

describe("a text with a slash", () => {
  const library = [prompt("Translate"), prompt("Résumé of a text"), prompt("A translation")];
  it.each([
    ["/", ["Translate", "Résumé of a text", "A translation"]],
    ["/transl", ["Translate", "A translation"]],
    ["/RESUME of", ["Résumé of a text"]],
    ["/none", []],
    ["", undefined],
    ["translate", undefined],
    ["/a/b", undefined],
    ["/a\n", undefined],
  ])("%j finds prompts", (text, titles) => {
    expect(findPrompts(text, library)?.map(({ title }) => title)).toEqual(titles);
  });
});

describe("a file of prompts", () => {
  it("is read as it was written", () => {
    const prompts = [prompt("A", "{{b}}"), prompt("C")];
    expect(parsePrompts(printPrompts(prompts))).toEqual(prompts);
    expect(parsePrompts(JSON.stringify(prompts))).toEqual(prompts);
  });

  it.each([
    ["", /^Expected a JSON file/],
    ["[", /^Expected a JSON file/],
    ["{}", /^Expected a JSON file/],
    ["null", /^Expected a JSON file/],
    ["[null]", /^Prompt 1 of the file: expected a title and a text/],
    ['[{"title":"A","text":""},{"title":" ","text":""}]', /^Prompt 2 of the file/],
    [JSON.stringify([prompt("x".repeat(101))]), /at most 100 characters/],
  ])("%j is answered with what was expected", (file, message) => {
    expect(parsePrompts(file)).toMatch(message);
  });

  it("adds what a library lacks, while there is room", () => {
    expect(mergePrompts([prompt("A")], [prompt("A"), prompt("B"), prompt("B")])).toEqual([
      prompt("A"),
      prompt("B"),
    ]);
    const many = Array.from({ length: 600 }, (_, index) => prompt(`${index}`));
    expect(mergePrompts([], many)).toHaveLength(500);
  });
});
