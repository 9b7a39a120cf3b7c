import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Block,
  createMarkdownParser,
  escapeMarkup,
} from "../../../src/page/markdown/parse-markdown.js";

const parser = createMarkdownParser(
  ({ tex, display }) => `<math>${display}:${escapeMarkup(tex)}</math>`,
);

function markupOf(text: string): string {
  return parser
    .parseBlocks(text)
    .map((block) => (block.type === "code" ? codeOf(block) : parser.renderMarkup(block)))
    .join("");
}

function codeOf({ code, language }: Extract<Block, { readonly type: "code" }>): string {
  return `<pre>${escapeMarkup(language)}:${escapeMarkup(code)}</pre>`;
}

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
      '<p><a href="https://evil.example/?q=1">a cat</a></p>\n',
    );
  });

  it("has its heading levels below those of the page", () => {
    expect(markupOf("# A\n\n###### B")).toBe("<h3>A</h3>\n<h6>B</h6>\n");
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
      '<p>See <a href="https://example.com/a">https://example.com/a</a>, README.md</p>\n',
    );
  });

  it("resolves link definitions from other blocks", () => {
    expect(markupOf("[a][1]\n\n[1]: https://example.com")).toBe(
      '<p><a href="https://example.com">a</a></p>\n',
    );
  });

  it("is rendered to the same objects on every call", () => {
    const [block] = parser.parseBlocks("- [x] *a* $b$");
    if (block?.type !== "markup") throw new Error("expected a list");
    expect(parser.renderMarkup(block)).toBe(parser.renderMarkup(block));
  });

  it("has task lists without input fields", () => {
    expect(markupOf("- [x] done\n- [ ] open")).not.toContain("<input");
    expect(markupOf("- [x] done\n- [ ] open")).toContain("☑");
  });

  it.each([
    ["$$\na^2\n$$", "<math>block:a^2</math>"],
    ["\\[ a \\]", "<math>block:a</math>"],
    ["so \\(a_1\\) is", "<p>so <math>inline:a_1</math> is</p>\n"],
    ["so $a*b*c$ is", "<p>so <math>inline:a*b*c</math> is</p>\n"],
    ["$a<b$", "<p><math>inline:a&lt;b</math></p>\n"],
    ["It costs $5 and $10.", "<p>It costs $5 and $10.</p>\n"],
    ["a $ b $ c", "<p>a $ b $ c</p>\n"],
    ["`$a$`", "<p><code>$a$</code></p>\n"],
    ["\\(never closed", "<p>(never closed</p>\n"],
    ["$$\nnever closed", "<p>$$\nnever closed</p>\n"],
    ["Text:\n$$\na\n\nb\n$$\nmore", "<p>Text:</p>\n<math>block:a\n\nb</math><p>more</p>\n"],
    ["> $$\n> a\n> $$", "<blockquote>\n<math>block:a</math></blockquote>\n"],
    ["- \\[a\\]", "<ul>\n<li>\n<math>block:a</math></li>\n</ul>\n"],
    ["**$a$**", "<p><strong><math>inline:a</math></strong></p>\n"],
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
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const tags = [...markupOf(pieces.join("")).matchAll(/<\/?([a-z]+\d?)/g)];
        const known =
          /^(a|b|blockquote|br|code|em|h\d|hr|li|math|ol|p|pre|s|strong|table|tbody|td|th|thead|tr|ul)$/;
        for (const [, name = ""] of tags) expect(name).toMatch(known);
      }),
      { examples: [[["~~", "~~", "<script>"]]] },
    );
  });
});
