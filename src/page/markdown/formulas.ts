import { signal } from "@preact/signals";
import type { Formula } from "./formula-syntax.js";
import { escapeMarkup } from "./parse-markdown.js";

interface Temml {
  renderToString(tex: string, options: object): string;
}

/** Loaded on the first formula. */
const temml = signal<Temml | undefined>(undefined);
let isLoading = false;

/**
 * Style attributes, which the page's content security policy forbids. Temml escapes quotes in
 * texts.
 */
const STYLE = / style="[^"]*"/g;

/**
 * Converts a formula to MathML; to its TeX source while the converter is loading, and if the
 * formula is invalid.
 */
export function printFormula({ tex, display }: Formula): string {
  const { value: printer } = temml;
  if (printer === undefined) {
    void load();
    return asCode(tex);
  }
  try {
    const styled = printer.renderToString(tex, {
      displayMode: display === "block",
      throwOnError: true,
      // Formulas of a model must not set styles or links.
      trust: false,
      maxExpand: 1000,
    });
    const markup = styled.replaceAll(STYLE, "");
    return display === "block" ? `<p>${markup}</p>` : markup;
  } catch {
    return asCode(tex);
  }
}

function asCode(tex: string): string {
  return `<code>${escapeMarkup(tex)}</code>`;
}

async function load(): Promise<void> {
  if (isLoading) return;
  isLoading = true;
  try {
    temml.value = (await import("temml")).default;
  } catch {
    // Formulas stay TeX source; the next one tries again.
    isLoading = false;
  }
}
