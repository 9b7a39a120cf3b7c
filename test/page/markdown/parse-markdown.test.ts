import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMarkdownParser, escapeMarkup } from "../../../src/page/markdown/parse-markdown.js";

const parser = createMarkdownParser(
  ({ tex, display }) => `<math>${display}:${escapeMarkup(tex)}</math>`,
);

function markupOf(text: string): string {
  return parser
    .blocksOf(text)
    .map((block) => parser.markupOf(block))
    .join("");
}

describe("Markdown", () => {
  it("is blocks that stay what they are while the text grows", () => {
    const text = "# Title\n\nA paragraph\nof two lines.\n\n- a\n- b\n\n```js\nlet a;\n```\n\nEnd";
    const whole = parser.blocksOf(text);
    expect(whole.map(({ type }) => type)).toEqual([
      "heading",
      "paragraph",
      "list",
      "code",
      "paragraph",
    ]);
    for (let length = 1; length < text.length; length++) {
      const blocks = parser.blocksOf(text.slice(0, length));
      for (const [index, block] of blocks.slice(0, -1).entries()) {
        expect(block.raw.trim()).toBe(whole[index]?.raw.trim());
      }
    }
  });

  it("shows HTML as it is written", () => {
    const text = '<script>alert(1)</script>\n\na <img src=x onerror="alert(1)"> b <b>c</b>';
    expect(markupOf(text)).not.toMatch(/<(?!\/?p>)/);
    expect(markupOf(text)).toContain("&lt;script&gt;");
  });

  it("fetches no image", () => {
    expect(markupOf("![a cat](https://evil.example/?q=1)")).toBe(
      '<p><a href="https://evil.example/?q=1">a cat</a></p>\n',
    );
  });

  it("has its headings below those of the page", () => {
    expect(markupOf("# A\n\n###### B")).toBe("<h3>A</h3>\n<h6>B</h6>\n");
  });

  it("has tasks without fields", () => {
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
  ])("has formulas: %j", (text, markup) => {
    expect(markupOf(text)).toBe(markup);
  });

  it("reads any text, and writes no markup of it but its own", () => {
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
          /^(a|b|blockquote|br|code|del|em|h\d|hr|li|math|ol|p|pre|strong|table|tbody|td|th|thead|tr|ul)$/;
        for (const [, name = ""] of tags) expect(name).toMatch(known);
      }),
    );
  });
});
