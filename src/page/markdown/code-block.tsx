import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { CopyButton } from "../parts/copy-button.js";
import { Preview, previewKindOf } from "./preview.js";

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

/** Highlighted code with a copy button, and a preview of diagrams and HTML. */
export function CodeBlock({ code, language }: CodeBlockProps) {
  const [isPreviewed, setPreviewed] = useState(false);
  const previewKind = previewKindOf(language);
  return (
    <figure class="code-block" dir="ltr">
      <figcaption>
        <span>{language}</span>
        <span class="code-actions">
          {previewKind !== undefined && (
            <button type="button" class="plain" onClick={() => setPreviewed(!isPreviewed)}>
              {isPreviewed ? "Show source" : "Preview"}
            </button>
          )}
          <CopyButton text={code} label="Copy code" />
        </span>
      </figcaption>
      {previewKind !== undefined && isPreviewed ? (
        <Preview kind={previewKind} source={code} />
      ) : (
        <Code code={code} language={language} />
      )}
    </figure>
  );
}

function Code({ code, language }: CodeBlockProps) {
  const { value: highlight } = highlighter;
  if (highlight === undefined && language !== "") void load();
  const markup = highlight?.(code, language);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable with the keyboard
    <pre tabIndex={0}>
      {markup === undefined ? (
        <code>{code}</code>
      ) : (
        <code dangerouslySetInnerHTML={{ __html: markup }} />
      )}
    </pre>
  );
}
