import temml from "temml";
import { describe, expect, it } from "vitest";
import { convertFormula } from "../../../src/page/markdown/formulas.js";
import { createMarkdownParser } from "../../../src/page/markdown/parse-markdown.js";
import { printMarkdown } from "./print-blocks.js";
import { readAnswers } from "./read-answers.js";

const parser = createMarkdownParser((formula) => convertFormula(temml, formula));

interface Expectation {
  /** Number of elements by tag. */
  readonly elements: Readonly<Record<string, number>>;
  /** Parts of the markup, in their order. */
  readonly parts?: readonly string[];
  /** Markup that must not occur. */
  readonly not?: RegExp;
}

const EXPECTED: Readonly<Record<string, Expectation>> = {
  "code in a numbered list": {
    elements: { ol: 1, li: 3, pre: 3, code: 1 },
    parts: ["<li><p><strong>Clone", "<pre>bash:git clone", "cd project</pre></li>", "a minute."],
  },
  "code in a tight list": {
    elements: { ul: 1, li: 3, pre: 3, p: 0 },
    parts: ["<li>Python:<pre>python:print(&quot;hello&quot;)</pre></li>", "<pre>:hello</pre>"],
  },
  "code in a nested list": {
    elements: { ul: 2, ol: 1, li: 5, pre: 2 },
    parts: ["<pre>python:from flask", "    return &quot;ok&quot;</pre>", "<pre>sh:flask run</pre>"],
  },
  "code in a quote": { elements: { blockquote: 1, pre: 1 }, parts: ["<pre>python:with open"] },
  "a function with an explanation": {
    elements: { pre: 1, h3: 1, ul: 1, code: 1, strong: 2, em: 2 },
  },
  "a shell session": { elements: { pre: 1, math: 0, code: 2 }, parts: ["$HOME &amp;&amp; echo"] },
  JSON: { elements: { pre: 1, code: 2 }, parts: ["<pre>json:{\n  &quot;id&quot;"] },
  "a diff": { elements: { pre: 1, ul: 0 }, parts: ["-  timeout: 1000,\n+  timeout"] },
  "code with fences inside": { elements: { pre: 1, p: 2 }, parts: ["```bash\nnpm install\n```"] },
  "SQL and its result": {
    elements: { pre: 1, table: 1, tr: 3 },
    parts: ['<th align="right">total', '<td align="right">12,400.50</td>'],
  },
  "an unclosed fence": { elements: { pre: 1 }, parts: ["return `Hello, $", "{name}!`;</pre>"] },
  "indented code": { elements: { pre: 1, p: 2 }, parts: ["<pre>:[server]\nhost"] },
  "long lines of code": { elements: { pre: 1, code: 1 } },
  "a Dockerfile and YAML": {
    elements: { pre: 2, p: 2 },
    parts: ["<pre>dockerfile:", "<pre>yaml:"],
  },
  "a diagram": { elements: { pre: 1, p: 2 }, parts: ["<pre>mermaid:flowchart LR"] },
  "a web page": { elements: { pre: 1, script: 0, h1: 0 }, parts: ["&lt;script&gt;"] },
  "HTML in the text": {
    elements: { br: 0, b: 0, strong: 0, div: 0, img: 0, script: 0 },
    parts: ["write &lt;br&gt;", "&lt;img src=", "&lt;script&gt;"],
  },
  "headings and lists": { elements: { h3: 1, h4: 2, ol: 1, ul: 1, hr: 1, strong: 6, code: 3 } },
  "nested lists": { elements: { ul: 4, ol: 1, li: 11 }, parts: ["<p>Frozen peas"] },
  "lists with paragraphs": { elements: { ol: 1, li: 3, p: 5, blockquote: 1 } },
  "a list that continues after code": { elements: { ol: 1, li: 3 }, parts: ['<ol start="3">'] },
  "a task list": { elements: { ul: 2, li: 5, input: 0 }, parts: ["☑ Choose", "☐ on the phone"] },
  quotes: { elements: { blockquote: 2, p: 4 } },
  emphasis: {
    elements: { em: 2, strong: 2, s: 1, code: 1, a: 1 },
    parts: ["Snake_case_names and 2 * 3 * 4", 'href="mailto:someone@example.com"', "*not italic*"],
  },
  "long addresses": { elements: { a: 2, p: 2 } },
  emoji: { elements: { h3: 1, p: 3, br: 2 }, parts: ["👨‍👩‍👧‍👦"] },
  reasoning: { elements: { p: 5, strong: 1, math: 0 } },
  "a poem": { elements: { p: 3 }, parts: ["The leaves come down,\none by one,"] },
  "an email": { elements: { p: 4, strong: 3, a: 0 }, parts: ["[Your name]\n[Your phone"] },
  prices: { elements: { math: 0, p: 2 }, parts: ["$5 per month and the pro plan costs $10"] },
  definitions: { elements: { hr: 1, h3: 1, br: 1 } },
  "a rule and headings without blank lines": { elements: { h3: 3, ul: 1, li: 2 } },
  "links and images": {
    elements: { a: 5, img: 0 },
    parts: [
      'title="The docs"',
      ">Architecture diagram</a>",
      'href="https://example.com/reference"',
    ],
  },
  "a short answer": { elements: { p: 1 } },
  "a comparison": {
    elements: { table: 1, tr: 5, strong: 1, em: 1 },
    parts: ['<th align="center">PostgreSQL', '<td align="right">281 TB</td>'],
  },
  "breaks in cells": {
    elements: { table: 1, br: 3, code: 1 },
    parts: ["settings<br>\nChoose <strong>Models</strong><br>\nPress", "&lt;br&gt;</code>"],
  },
  "long cells": { elements: { table: 1, tr: 3, td: 6 } },
  "many columns": { elements: { table: 1, tr: 3, th: 14, td: 28 } },
  "a table in a list": {
    elements: { ol: 1, li: 2, table: 1, math: 0 },
    parts: ["$2.50", "$3.20"],
  },
  "addresses in cells": { elements: { table: 1, a: 1, code: 1 } },
  "formulas in cells": { elements: { table: 1, math: 6 }, not: /formula-block/ },
  "a table without outer pipes": { elements: { table: 1, tr: 3 } },
  "a table that ends early": { elements: { table: 1, tr: 3, td: 4, p: 1 } },
  "a table drawn in text": { elements: { pre: 1, table: 0 } },
  dollars: { elements: { math: 4, mfrac: 1, msqrt: 1 }, parts: ["formula-block", "<msqrt"] },
  backslashes: { elements: { math: 3 }, parts: ["formula-block"], not: /\\\(|\\\[/ },
  "aligned equations": {
    elements: { math: 2, mtable: 2, code: 0 },
    parts: ["formula-block", "tml-right", "tml-left", "formula-block"],
  },
  "a boxed result": {
    elements: { ol: 1, li: 2, math: 3 },
    parts: ["formula-block", "formula-block", "formula-box"],
  },
  "cancelled factors": {
    elements: { math: 1, menclose: 2 },
    parts: ["upstrike", 'mathcolor="', 'mathcolor="', 'mathbackground="'],
  },
  matrices: { elements: { math: 3, mtable: 3 }, parts: ["formula-line"] },
  cases: { elements: { math: 1, mtable: 1 } },
  "sums and limits": { elements: { math: 7 }, parts: ["tml-overline", "tml-underline"] },
  "a long equation": { elements: { math: 1 }, parts: ["formula-block"] },
  "invalid formulas": {
    elements: { math: 0, code: 2 },
    parts: ["$20 is no formula", "an open $$ sign"],
  },
  Chinese: { elements: { h3: 1, ol: 1, pre: 1, blockquote: 1, table: 1 } },
  Japanese: { elements: { strong: 1, ul: 1, li: 3 } },
  Arabic: {
    elements: { h3: 1, ol: 1, table: 1, pre: 1, code: 2 },
    parts: ['<code dir="ltr">npm install</code>'],
  },
  Hebrew: { elements: { ul: 1, blockquote: 1, math: 1 }, parts: ['<span dir="ltr"><math'] },
  "mixed directions": { elements: { p: 2, ul: 1 } },
  "Hindi and Thai": { elements: { p: 2, ol: 1 } },
  "Russian and Greek": { elements: { strong: 1, ul: 1 } },
  footnotes: {
    elements: { sup: 4, section: 1, ol: 1, math: 1, ul: 2 },
    parts: ["[1]</a>", "[2]</a>", "[1]</a>", "[3]</a>", "<li><p>At a pressure", "<p>Measurements"],
  },
  sources: { elements: { sup: 0, p: 2, a: 1, em: 1 }, parts: ["predict tokens [1]"] },
};

const answers = readAnswers();

describe("answers of models", () => {
  it("are all checked", () => {
    expect(Object.keys(EXPECTED).toSorted()).toEqual([...answers.keys()].toSorted());
    expect(answers.size).toBeGreaterThanOrEqual(60);
  });

  it.each(Object.entries(EXPECTED))("are rendered with their elements: %s", (name, expected) => {
    const markup = printMarkdown(parser, answers.get(name) ?? "");
    const counts = Object.keys(expected.elements).map((tag) => [
      tag,
      markup.split(new RegExp(`<${tag}(?=[ >])`)).length - 1,
    ]);
    expect(Object.fromEntries(counts)).toEqual(expected.elements);
    let position = 0;
    for (const part of expected.parts ?? []) {
      const found = markup.indexOf(part, position);
      expect(found, `${part} in ${markup}`).not.toBe(-1);
      position = found + 1;
    }
    if (expected.not !== undefined) expect(markup).not.toMatch(expected.not);
  });

  it.each([...answers])("leave their beginning unchanged while they grow: %s", (_name, text) => {
    const whole = parser.parseBlocks(text);
    for (let length = 1; length < text.length; length += 7) {
      const blocks = parser.parseBlocks(text.slice(0, length));
      const settled = blocks.filter(({ type }) => type !== "footnotes").slice(0, -1);
      for (const [index, { raw }] of settled.entries()) {
        expect(raw).toBe(whole[index]?.raw);
      }
    }
  });

  it.each([...answers])("have no styles in their markup: %s", (_name, text) => {
    expect(printMarkdown(parser, text)).not.toContain(" style=");
  });
});
