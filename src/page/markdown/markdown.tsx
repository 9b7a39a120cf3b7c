import { signal } from "@preact/signals";

type RenderedMarkdown = typeof import("./rendered-markdown.js").RenderedMarkdown;

/**
 * Loaded when the page starts, but not needed for its first paint: the parser and the sanitiser are
 * half of the page's code.
 */
const renderer = signal<RenderedMarkdown | undefined>(undefined);
let isLoading = false;

async function load(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    renderer.value = (await import("./rendered-markdown.js")).RenderedMarkdown;
  } catch {
    // Texts stay plain; the next one tries again.
    isLoading = false;
  }
}

void load();

/** Renders Markdown; as plain text while the renderer is loading. */
export function Markdown({ text }: { readonly text: string }) {
  const { value: Rendered } = renderer;
  if (Rendered !== undefined) return <Rendered text={text} />;
  void load();
  return (
    <div class="markdown unparsed" dir="auto">
      {text}
    </div>
  );
}
