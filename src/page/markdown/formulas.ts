import { signal } from "@preact/signals";
import { escapeMarkup, type Formula } from "./parse-markdown.js";

interface Temml {
  renderToString(tex: string, options: object): string;
}

/** Loaded for the first formula. */
const temml = signal<Temml | undefined>(undefined);
let isLoading = false;

/** A formula as MathML; as its TeX until what prints it is there, and where it is wrong. */
export function printFormula({ tex, display }: Formula): string {
  const { value: printer } = temml;
  if (printer === undefined) {
    void load();
    return asCode(tex);
  }
  try {
    const markup = printer.renderToString(tex, {
      displayMode: display === "block",
      throwOnError: true,
      // Nothing of a model's text is to have styles or links of its own.
      trust: false,
      maxExpand: 1000,
    });
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
