import type { Block } from "../../../src/page/markdown/blocks.js";
import { escapeMarkup } from "../../../src/page/markdown/escape-markup.js";
import type { MarkdownParser } from "../../../src/page/markdown/parse-markdown.js";

/** Prints a text as markup with the elements of the page's components. */
export function printMarkdown(parser: MarkdownParser, text: string): string {
  const printBlocks = (blocks: readonly Block[]): string => blocks.map(print).join("");
  return printBlocks(parser.parseBlocks(text));

  function print(block: Block): string {
    switch (block.type) {
      case "code":
        return `<pre>${escapeMarkup(block.language)}:${escapeMarkup(block.code)}</pre>`;
      case "container": {
        const { tag, start, isTask, blocks } = block;
        const attributes = `${start === undefined ? "" : ` start="${start}"`}${isTask ? ' class="task"' : ""}`;
        return `<${tag}${attributes}>${printBlocks(blocks)}</${tag}>`;
      }
      case "footnotes":
        return `<section><ol>${block.notes.map((note) => `<li>${printBlocks(note)}</li>`).join("")}</ol></section>`;
      default:
        return parser.renderMarkup(block, "m");
    }
  }
}
