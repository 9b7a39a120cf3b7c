import { signal } from "@preact/signals";
import { CopyButton } from "../parts/copy-button.js";
import { safeHtml } from "./safe-html.js";

type Highlight = typeof import("./highlight.js").highlight;

/** Loaded for the first code that says its language. */
const highlighter = signal<Highlight | undefined>(undefined);
let isLoading = false;

async function load(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    highlighter.value = (await import("./highlight.js")).highlight;
  } catch {
    // Code stays without colours; the next block tries again.
    isLoading = false;
  }
}

interface CodeBlockProps {
  readonly code: string;
  /** As the text names it; empty: it does not. */
  readonly language: string;
}

/** Code with its colours, and a button that copies it. */
export function CodeBlock({ code, language }: CodeBlockProps) {
  const { value: highlight } = highlighter;
  if (highlight === undefined && language !== "") void load();
  const markup = highlight?.(code, language);
  return (
    <figure class="code-block">
      <figcaption>
        <span>{language}</span>
        <CopyButton text={code} label="Copy the code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>
        {markup === undefined ? (
          <code>{code}</code>
        ) : (
          <code dangerouslySetInnerHTML={{ __html: safeHtml(markup) }} />
        )}
      </pre>
    </figure>
  );
}
