import { signal } from "@preact/signals";
import { CopyButton } from "../parts/copy-button.js";
import { sanitizeMarkup } from "./safe-html.js";

type Highlight = typeof import("./highlight.js").highlight;

/** Loaded on the first code block with a language. */
const highlighter = signal<Highlight | undefined>(undefined);
let isLoading = false;

async function load(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    highlighter.value = (await import("./highlight.js")).highlight;
  } catch {
    // The code stays uncoloured; the next block tries again.
    isLoading = false;
  }
}

interface CodeBlockProps {
  readonly code: string;
  /** Language as named in the text; empty: none. */
  readonly language: string;
}

/** Highlighted code with a copy button. */
export function CodeBlock({ code, language }: CodeBlockProps) {
  const { value: highlight } = highlighter;
  if (highlight === undefined && language !== "") void load();
  const markup = highlight?.(code, language);
  return (
    <figure class="code-block">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable with the keyboard */}
      <pre tabIndex={0}>
        {markup === undefined ? (
          <code>{code}</code>
        ) : (
          <code dangerouslySetInnerHTML={{ __html: sanitizeMarkup(markup) }} />
        )}
      </pre>
    </figure>
  );
}
