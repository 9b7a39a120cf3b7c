import { describe, expect, it } from "vitest";
import { createMarkdownParser } from "../../../src/page/markdown/parse-markdown.js";
import { printMarkdown } from "./print-blocks.js";

const parser = createMarkdownParser(({ tex }) => tex);
const markupOf = (text: string) => printMarkdown(parser, text);
const reference = (number: number) =>
  `<sup class="footnote-reference"><a href="#m-footnote-${number}">[${number}]</a></sup>`;

describe("footnotes", () => {
  it("are numbered in the order of their references, and listed at the end", () => {
    expect(markupOf("A[^b] B[^a] C[^b]\n\n[^a]: *One*\n[^b]: Two\n\nEnd")).toBe(
      `<p>A${reference(1)} B${reference(2)} C${reference(1)}</p><p>End</p>` +
        "<section><ol><li><p>Two</p></li><li><p><em>One</em></p></li></ol></section>",
    );
  });

  it("are numbered across blocks, in lists, tables and other footnotes", () => {
    const text = "- A[^1]\n\n| B[^2] |\n| - |\n\n[^1]: See[^3]\n[^2]: b\n[^3]: c";
    expect(markupOf(text)).toBe(
      `<ul><li>A${reference(1)}</li></ul>` +
        `<table>\n<thead>\n<tr>\n<th>B${reference(2)}</th>\n</tr>\n</thead>\n</table>` +
        `<section><ol><li><p>See${reference(3)}</p></li><li><p>b</p></li><li><p>c</p></li></ol></section>`,
    );
  });

  it("can have several blocks", () => {
    expect(markupOf("A[^1]\n\n[^1]: b\n\n        code\n\n    c")).toContain(
      "<li><p>b</p><pre>:code</pre><p>c</p></li>",
    );
  });

  it("without a reference are listed last", () => {
    expect(markupOf("A[^2]\n\n[^1]: b\n[^2]: c")).toContain(
      "<ol><li><p>c</p></li><li><p>b</p></li></ol>",
    );
  });

  it.each(["A[^1]", "A^[note]", "`[^1]`\n\n[^1]: b", "[^1]: "])(
    "are not confused with other text: %j",
    (text) => {
      expect(markupOf(text)).not.toContain("footnote-reference");
    },
  );

  it("make blocks with brackets render again when they arrive", () => {
    const [early] = parser.parseBlocks("A[^1]\n\nB");
    const [late] = parser.parseBlocks("A[^1]\n\nB[^1]\n\n[^1]: c");
    expect([early, late]).toMatchObject([{ raw: "A[^1]" }, { raw: "A[^1]" }]);
    expect(early).not.toMatchObject({ definitions: (late as { definitions: string }).definitions });
  });
});
