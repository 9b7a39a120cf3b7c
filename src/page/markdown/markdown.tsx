import { useMemo } from "preact/hooks";
import { memo } from "../parts/memo.js";
import { CodeBlock } from "./code-block.js";
import { printFormula } from "./formulas.js";
import { type Block, createMarkdownParser } from "./parse-markdown.js";
import { sanitizeMarkup } from "./safe-html.js";

const parser = createMarkdownParser(printFormula);

/** Renders Markdown. While the text grows, only its last block is rendered again. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parser.parseBlocks(text), [text]);
  return (
    <div class="markdown">
      {blocks.map((block, index) => (
        <BlockOfText key={index} block={block} />
      ))}
    </div>
  );
}

const BlockOfText = memo(
  ({ block }: { readonly block: Block }) => {
    if (block.type === "code") {
      const [language = ""] = block.language.split(/[\s{]/, 1);
      return <CodeBlock code={block.code} language={language} />;
    }
    return (
      <div
        class="block"
        dangerouslySetInnerHTML={{ __html: sanitizeMarkup(parser.renderMarkup(block)) }}
      />
    );
  },
  (one, other) => one.block.raw === other.block.raw && one.block.type === other.block.type,
);
