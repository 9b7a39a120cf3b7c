import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { memo } from "../parts/memo.js";
import { areEqual, type Block } from "./blocks.js";
import { CodeBlock } from "./code-block.js";
import { footnoteId } from "./footnotes.js";
import { printFormula } from "./formulas.js";
import { createMarkdownParser } from "./parse-markdown.js";
import { sanitizeMarkup } from "./safe-html.js";

const parser = createMarkdownParser(printFormula);

/** Renders Markdown. While the text grows, only its last block is rendered again. */
export function RenderedMarkdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parser.parseBlocks(text), [text]);
  const messageId = useId();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.addEventListener("click", followReference), []);
  return (
    <div ref={element} class="markdown">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} messageId={messageId} isOutermost />
      ))}
    </div>
  );
}

interface BlockProps {
  readonly block: Block;
  /** Prefix of the ids of footnotes. */
  readonly messageId: string;
  /** Whether the block is in no other block. Its text determines the direction of all text in it. */
  readonly isOutermost?: boolean;
}

const BlockView = memo(
  ({ block, messageId, isOutermost = false }: BlockProps) => {
    const direction = isOutermost ? ({ dir: "auto" } as const) : {};
    switch (block.type) {
      case "code": {
        const [language = ""] = block.language.split(/[\s{]/, 1);
        return <CodeBlock code={block.code} language={language} />;
      }
      case "container": {
        const { tag: Tag, start, isTask, blocks } = block;
        return (
          <Tag
            {...direction}
            {...(start !== undefined && { start })}
            {...(isTask && { class: "task" })}
          >
            <Blocks blocks={blocks} messageId={messageId} />
          </Tag>
        );
      }
      case "footnotes":
        return <Footnotes notes={block.notes} messageId={messageId} />;
      default: {
        const html = { __html: sanitizeMarkup(parser.renderMarkup(block, messageId)) };
        const scrolling = block.kind === "table" ? SCROLLING : {};
        return (
          <div
            class={`block ${block.kind}`}
            {...direction}
            {...scrolling}
            dangerouslySetInnerHTML={html}
          />
        );
      }
    }
  },
  (one, other) => one.messageId === other.messageId && areEqual(one.block, other.block),
);

/** Attributes of a block that may be wider than the text: it can be scrolled with the keyboard. */
const SCROLLING = { role: "group", "aria-label": "Table", tabIndex: 0 } as const;

function Blocks({ blocks, messageId }: { readonly blocks: readonly Block[]; messageId: string }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} messageId={messageId} />
      ))}
    </>
  );
}

interface FootnotesProps {
  readonly notes: readonly (readonly Block[])[];
  readonly messageId: string;
}

function Footnotes({ notes, messageId }: FootnotesProps) {
  return (
    <section class="footnotes" dir="auto">
      <ol>
        {notes.map((blocks, index) => {
          const id = footnoteId(messageId, index + 1);
          return (
            <li key={id} id={id} tabIndex={-1}>
              <Blocks blocks={blocks} messageId={messageId} />
              <button
                type="button"
                class="link"
                aria-label={`Back to reference ${index + 1}`}
                onClick={() => document.querySelector<HTMLElement>(`a[href="#${id}"]`)?.focus()}
              >
                ↩
              </button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** Moves to a footnote, because the fragment of the page's address is the shown view. */
function followReference(event: Event): void {
  const { target } = event;
  const link = target instanceof Element ? target.closest('a[href^="#"]') : null;
  if (link === null) return;
  event.preventDefault();
  document.getElementById(link.getAttribute("href")?.slice(1) ?? "")?.focus();
}
