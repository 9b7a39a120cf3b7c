import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeMarkup } from "../../../src/page/markdown/escape-markup.js";
import { createMarkdownParser } from "../../../src/page/markdown/parse-markdown.js";
import { printMarkdown } from "./print-blocks.js";

const parser = createMarkdownParser(({ tex }) => `<math>${escapeMarkup(tex)}</math>`);

const markupOf = (text: string) => printMarkdown(parser, text);

/** The deepest nesting of elements. @throws {Error} if an element is not closed, or closed twice */
function depthOf(markup: string): number {
  const open: string[] = [];
  let deepest = 0;
  for (const [, end, name = ""] of markup.matchAll(/<(\/?)([a-z]+\d?)[^>]*>/g)) {
    if (["br", "hr"].includes(name)) continue;
    if (end === "") open.push(name);
    else if (open.pop() !== name) throw new Error(`expected </${name}> to close its element`);
    deepest = Math.max(deepest, open.length);
  }
  if (open.length > 0) throw new Error(`expected all elements to be closed, got <${open.at(-1)}>`);
  return deepest;
}

const N = 3_000;
const times = (text: string, count = N) => text.repeat(count);
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

/** From cmark's test/pathological_tests.py, and texts that defeated the previous parser. */
const PATHOLOGICAL: Readonly<Record<string, string>> = {
  "nested strong emphasis": `${times("*a **a ")}b${times(" a** a*")}`,
  "many emphasis closers": times("a_ "),
  "many emphasis openers": times("_a "),
  "emphasis openers and closers of two kinds": times("*a_ "),
  "openers and closers in multiples of three": `a**b${times("c* ")}`,
  "nested strikethrough": `${times("~~a ")}b${times(" a~~")}`,
  "only asterisks": times("*"),
  "only underscores": times("_"),
  "many link closers": times("a]"),
  "many link openers": times("[a"),
  "link openers with emphasis": times("[ a_"),
  "nested brackets": `${times("[")}a${times("]")}`,
  "nested links": `${times("[")}a${times("](b)")}`,
  "nested images": `${times("![")}a${times("](b)")}`,
  "unclosed images": times("![[]()"),
  "nested parentheses of a link": `[a](${times("(")}${times(")")})`,
  "unclosed links": times("[a](b"),
  "unclosed links in angle brackets": times("[a](<b"),
  "backticks of all lengths": lines(1_000, (index) => `e${times("`", index + 1)}`),
  "unclosed code": times("`a "),
  "unclosed comments": times("</x <!-- "),
  "unclosed instructions": times("<?"),
  "unclosed CDATA": times("<![CDATA["),
  "unclosed elements": times("<a "),
  "many definitions": lines(N, (index) => `[${index}]: /u`),
  "one definition, many times": `[a]: /u\n${times("[a] [a][a]\n")}`,
  "a wide table": `${times("|a")}\n${times("|-")}\n${times("|b")}`,
  "a wide table with short rows": `${times("|a", 100)}\n${times("|-", 100)}\n${times("|a\n")}`,
  "tables in tables": times("| a | b |\n| - | - |\n"),
  "nested quotes": `${times("> ")}a`,
  "nested quotes without spaces": `${times(">")}a`,
  "nested lists": `${times("- ")}a`,
  "nested lists with numbers": `${times("1. ")}a`,
  "nested lists by indentation": lines(500, (index) => `${times("  ", index)}* a`),
  "quotes in lists in quotes": times("> 1. - "),
  "quotes that become shallower": lines(400, (index) => `${times(">", 40 - (index % 40))} a`),
  "quotes that become shallower, over a list": lines(
    60,
    (index) => `${times("> ", 60 - index)}- a`,
  ),
  "a deep quote that goes on lazily": `${times(">", 200)}a\n${times("b\n")}`,
  "a deep list that goes on lazily": `${times("- ", 200)}a\n${times("b\n")}`,
  "empty items": times("-\n"),
  "open fences": times("```a\n"),
  "fences in quotes": lines(400, (index) => `${times(">", (index % 10) + 1)} \`\`\``),
  headings: times("# a\n"),
  "underlined headings": times("a\n=\n"),
  "open formulas": times("$$a\n"),
  "open formulas in brackets": times("\\[a\n"),
  "open formulas in parentheses": times("\\(a"),
  "open formulas with one dollar": times("$a "),
  "formulas in a row": times("$a$ "),
  "many footnotes": lines(N, (index) => `[^${index}] a\n\n[^${index}]: b`),
  "one footnote, many times": `[^a]: b\n\n${times("[^a] [a] ")}`,
  "footnotes in footnotes": `${times("[^a]: ")}b [^a]`,
  "footnotes that refer to each other": lines(N, (index) => `[^${index}]: [^${index + 1}]\n`),
  "footnotes in sentences": times("^[a "),
  "footnotes in lists": times("- [^a]: b\n"),
  "open environments": times("\\begin{align}\n"),
  "nested environments": `${times("\\begin{cases}\n", 40)}a\n${times("\\end{cases}\n", 40)}`,
  "breaks in cells": `| a |\n| - |\n| ${times("<br>")} |`,
  addresses: times("http://a.b("),
  "addresses in angle brackets": times("<http://a"),
  "addresses of mail": times("a@"),
  entities: times("&a"),
  backslashes: times("\\"),
  spaces: `a${times(" ")}b`,
  tabs: times("\t- "),
  "a paragraph of many characters": times("*a* ", 50_000),
};

describe("pathological Markdown", () => {
  it.each(Object.entries(PATHOLOGICAL))("is parsed completely: %s", (_name, text) => {
    const markup = markupOf(`${text}\n\nThe end`);
    expect(() => depthOf(markup)).not.toThrow();
    expect(markup).toContain("The end");
  });

  it("is nested up to a limit, and deeper markers are shown as text", () => {
    const quotes = markupOf(`${times("> ")}the words`);
    expect(quotes.match(/<blockquote>/g)).toHaveLength(40);
    expect(quotes).toContain(`<p>${times("&gt; ", N - 40)}the words</p>`);
    const lists = markupOf(`${times("- ")}the words`);
    expect(lists.match(/<ul>/g)).toHaveLength(20);
    expect(lists).toContain(`<li>${times("- ", N - 20)}the words</li>`);
  });

  it("does not affect text after nesting that is too deep", () => {
    const markup = markupOf(`- a\n\n  ${times("> ", 100)}b\n\n  *c*\n- *d*\n\n*e*`);
    expect(markup).toMatch(/b<\/p>[\s\S]*<em>c<\/em>[\s\S]*<em>d<\/em>[\s\S]*<em>e<\/em>/);
  });

  it("is parsed to well-formed markup, for any content", () => {
    const piece = fc.constantFrom(
      ...[
        "> ",
        ">",
        "- ",
        "* ",
        "1. ",
        "  ",
        "    ",
        "\t",
        "\n",
        "\n\n",
        "a",
        " ",
        "#",
        "=",
        "---",
      ],
      ...["*", "**", "_", "~~", "`", "```", "~~~", "[", "]", "(", ")", "](b)", "![", "[a]: b", "<"],
      ...["|", "|-", "$", "$$", "\\(", "\\)", "\\[", "\\]", "\\", "&amp;", "http://a.b", "<!--"],
      ...["[^1]", "[^1]: ", "\\begin{align}", "\\end{align}", "<br>"],
    );
    const run = fc
      .tuple(fc.array(piece, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 300 }))
      .map(([pieces, count]) => times(pieces.join(""), count));
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (runs) => {
        expect(depthOf(markupOf(runs.join("")))).toBeGreaterThanOrEqual(0);
      }),
      { seed: 57, numRuns: 200 },
    );
  }, 30_000);
});
