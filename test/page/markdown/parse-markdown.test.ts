import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeMarkup } from "../../../src/page/markdown/escape-markup.js";
import { createMarkdownParser } from "../../../src/page/markdown/parse-markdown.js";
import { printMarkdown } from "./print-blocks.js";

const parser = createMarkdownParser(
  ({ tex, display }) => `<math>${display}:${escapeMarkup(tex)}</math>`,
);
const markupOf = (text: string) => printMarkdown(parser, text);

describe("Markdown", () => {
  it("is parsed to blocks that stay unchanged while text is appended", () => {
    const text = "# Title\n\nA paragraph\nof two lines.\n\n- a\n- b\n\n```js\nlet a;\n```\n\nEnd";
    const whole = parser.parseBlocks(text);
    expect(whole.map(({ raw }) => raw)).toEqual([
      "# Title",
      "A paragraph\nof two lines.",
      "- a\n- b",
      "```js\nlet a;\n```",
      "End",
    ]);
    expect(whole[3]).toMatchObject({ type: "code", code: "let a;", language: "js" });
    for (let length = 1; length < text.length; length++) {
      const blocks = parser.parseBlocks(text.slice(0, length));
      for (const [index, block] of blocks.slice(0, -1).entries()) {
        expect(block.raw.trim()).toBe(whole[index]?.raw.trim());
      }
    }
  });

  it("is rendered with HTML as plain text", () => {
    const text = '<script>alert(1)</script>\n\na <img src=x onerror="alert(1)"> b <b>c</b>';
    expect(markupOf(text)).not.toMatch(/<(?!\/?p>)/);
    expect(markupOf(text)).toContain("&lt;script&gt;");
  });

  it("is rendered without loading images", () => {
    expect(markupOf("![a cat](https://evil.example/?q=1)")).toBe(
      '<p><a href="https://evil.example/?q=1">a cat</a></p>',
    );
  });

  it("has headings below those of the page, without gaps", () => {
    expect(markupOf("# A\n\n###### B")).toBe("<h3>A</h3><h4>B</h4>");
    expect(markupOf("### A\n#### B\n### C\n# D")).toBe("<h3>A</h3><h4>B</h4><h3>C</h3><h3>D</h3>");
  });

  it("preserves list numbers and column alignment", () => {
    expect(markupOf("3. a\n4. b")).toContain('<ol start="3">');
    const table = markupOf("| a | b | c |\n| :- | :-: | - |\n| 1 | 2 | 3 |");
    expect(table).toContain('<th align="left">a</th>\n<th align="center">b</th>\n<th>c</th>');
    expect(table).toContain('<td align="left">1</td>\n<td align="center">2</td>\n<td>3</td>');
    expect(table).not.toContain("style");
  });

  it("links URLs in text, but not file names", () => {
    expect(markupOf("See https://example.com/a, README.md")).toBe(
      '<p>See <a href="https://example.com/a">https://example.com/a</a>, README.md</p>',
    );
  });

  it("resolves link definitions from other blocks", () => {
    expect(markupOf("[a][1]\n\n[1]: https://example.com")).toBe(
      '<p><a href="https://example.com">a</a></p>',
    );
  });

  it("is rendered to the same markup on every call", () => {
    const [block] = parser.parseBlocks("*a* $b$ https://a.b [^1]\n\n[^1]: c");
    if (block?.type !== "markup") throw new Error("expected a paragraph");
    expect(parser.renderMarkup(block, "m")).toBe(parser.renderMarkup(block, "m"));
  });

  it("has task lists without input fields", () => {
    expect(markupOf("- [x] done\n- [ ] open\n- other")).toBe(
      '<ul><li class="task">☑ done</li><li class="task">☐ open</li><li>other</li></ul>',
    );
  });

  it.each([
    ["- a\n  ```js\n  b\n  ```\n- c", "<ul><li>a<pre>js:b</pre></li><li>c</li></ul>"],
    ["1. a\n\n       b", "<ol><li><p>a</p><pre>:b</pre></li></ol>"],
    ["> ```\n> a\n> ```", "<blockquote><pre>:a</pre></blockquote>"],
    [
      "- > - ```\n  >   a",
      "<ul><li><blockquote><ul><li><pre>:a</pre></li></ul></blockquote></li></ul>",
    ],
  ])("has code blocks in lists and quotes: %j", (text, markup) => {
    expect(markupOf(text)).toBe(markup);
  });

  it("renders a list again when its items become separated", () => {
    const [tight] = parser.parseBlocks("- a\n- b");
    const [loose] = parser.parseBlocks("- a\n- b\n\n- c");
    const kinds = [tight, loose].map((list) =>
      list?.type === "container" && list.blocks[0]?.type === "container"
        ? list.blocks[0].blocks[0]
        : undefined,
    );
    expect(kinds).toMatchObject([
      { raw: "- a", kind: "tight" },
      { raw: "- a", kind: "text" },
    ]);
  });

  it.each([
    ["a<br>b", "a<br>\nb"],
    ["a<BR />b", "a<br>\nb"],
    ["`<br>`", '<code dir="ltr">&lt;br&gt;</code>'],
    ["<b>a</b>", "&lt;b&gt;a&lt;/b&gt;"],
    ["<br onclick=a>", "&lt;br onclick=a&gt;"],
  ])("has line breaks in table cells, and no other elements: %j", (text, markup) => {
    expect(markupOf(`| ${text} |\n| - |\n| ${text} |`)).toContain(`<td>${markup}</td>`);
    expect(markupOf(`| ${text} |\n| - |`)).toContain(`<th>${markup}</th>`);
    expect(markupOf("a<br>b")).toBe("<p>a&lt;br&gt;b</p>");
  });

  it.each([
    ["$$\na^2\n$$", "<math>block:a^2</math>"],
    ["$$a$$.", "<math>block:a.</math>"],
    ["\\[ a \\]", "<math>block:a</math>"],
    [
      "\\begin{align*}\na &= b\n\\end{align*}",
      "<math>block:\\begin{align*}a &amp;= b\\end{align*}</math>",
    ],
    [
      "a\n\\begin{cases} a \\end{cases}\nb",
      "<p>a</p><math>block:\\begin{cases}a\\end{cases}</math><p>b</p>",
    ],
    [
      "\\begin{cases} \\begin{cases} a\n\\end{cases} b\n\\end{cases}",
      "<math>block:\\begin{cases}\\begin{cases} a\n\\end{cases} b\\end{cases}</math>",
    ],
    ["$$\n\\begin{cases} a \\end{cases}", "<p>$$\n\\begin{cases} a \\end{cases}</p>"],
    ["\\begin{document} a \\end{document}", "<p>\\begin{document} a \\end{document}</p>"],
    ["a $$b$$ c", "<p>a <math>block:b</math> c</p>"],
    ["a \\[\nb\n\\]", "<p>a <math>block:b</math></p>"],
    ["so \\(a_1\\) is", "<p>so <math>inline:a_1</math> is</p>"],
    ["so $a*b*c$ is", "<p>so <math>inline:a*b*c</math> is</p>"],
    ["$a<b$", "<p><math>inline:a&lt;b</math></p>"],
    ["$3 \\text{ cm}$", "<p><math>inline:3 \\text{ cm}</math></p>"],
    ["It costs $5 and $10.", "<p>It costs $5 and $10.</p>"],
    ["It costs $5 or 10$.", "<p>It costs $5 or 10$.</p>"],
    ["US$5, A$6 and $1,000-$2,000", "<p>US$5, A$6 and $1,000-$2,000</p>"],
    ["a $ b $ c", "<p>a $ b $ c</p>"],
    ["`$a$`", '<p><code dir="ltr">$a$</code></p>'],
    ["\\(never closed", "<p>(never closed</p>"],
    ["$$\nnever closed", "<p>$$\nnever closed</p>"],
    ["Text:\n$$\na\n\nb\n$$\nmore", "<p>Text:</p><math>block:a\n\nb</math><p>more</p>"],
    ["> $$\n> a\n> $$", "<blockquote><math>block:a</math></blockquote>"],
    ["- \\[a\\]", "<ul><li><math>block:a</math></li></ul>"],
    [
      "1. a\n\n   $$\n   b\n   $$\n2. c",
      "<ol><li><p>a</p><math>block:b</math></li><li><p>c</p></li></ol>",
    ],
    ["**$a$**", "<p><strong><math>inline:a</math></strong></p>"],
  ])("is rendered with formulas: %j", (text, markup) => {
    expect(markupOf(text)).toBe(markup);
  });

  it("of any content is rendered to known elements only", () => {
    const piece = fc.constantFrom(
      ...[
        "<",
        ">",
        '"',
        "'",
        "&",
        "`",
        "$",
        "\\(",
        "\\)",
        "[",
        "](",
        ")",
        "!",
        "*",
        "_",
        "#",
        "\n",
      ],
      ...["|", "-", " ", "a", "javascript:", "<script>", "onerror=", "http://x.y", "&lt;", "~~"],
      ...["[^1]", "\n[^1]: ", "<br>", "- [x] "],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const tags = [...markupOf(pieces.join("")).matchAll(/<\/?([a-z]+\d?)/g)];
        const known =
          /^(a|b|blockquote|br|code|em|h\d|hr|li|math|ol|p|pre|s|section|strong|sup|table|tbody|td|th|thead|tr|ul)$/;
        for (const [, name = ""] of tags) expect(name).toMatch(known);
      }),
      { examples: [[["~~", "~~", "<script>"]]] },
    );
  });
});
