import { signal } from "@preact/signals";
import type { Formula } from "./formula-syntax.js";
import { escapeMarkup } from "./parse-markdown.js";

interface Temml {
  renderToString(tex: string, options: object): string;
}

/** Loaded for the first formula. */
const temml = signal<Temml | undefined>(undefined);
let isLoading = false;

/** The policy of the page allows no styles in elements. In texts Temml writes quotes as entities. */
const STYLE = / style="[^"]*"/g;

/** A formula as MathML; as its TeX until what prints it is there, and where it is wrong. */
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
      // Nothing of a model's text is to have styles or links of its own.
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
    // Formulas stay as they were written; the next one tries again.
    isLoading = false;
  }
}
