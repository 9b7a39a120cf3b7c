import { signal } from "@preact/signals";
import { escapeMarkup } from "./escape-markup.js";
import { replaceStyles } from "./formula-styles.js";
import type { Formula } from "./formula-syntax.js";

/** Converter of TeX to MathML. */
export interface Temml {
  renderToString(tex: string, options: object): string;
}

/** Loaded on the first formula. */
const temml = signal<Temml | undefined>(undefined);
let isLoading = false;

/** Maximum sizes of spaces and rules in a formula, in em and pt. */
const MAX_SIZE = [20, 200];

/**
 * Converts a formula to MathML; to its TeX source while the converter is loading, and if the
 * formula is invalid.
 */
export function printFormula(formula: Formula): string {
  if (temml.value === undefined) void load();
  return convertFormula(temml.value, formula);
}

/** Converts a formula to MathML; to its TeX source without a converter, and if it is invalid. */
export function convertFormula(converter: Temml | undefined, { tex, display }: Formula): string {
  const markup = converter && toMathMl(converter, { tex, display });
  if (markup === undefined) return `<code dir="ltr">${escapeMarkup(tex)}</code>`;
  // Formulas do not determine the direction of the text around them.
  return display === "block"
    ? `<span class="formula-block" dir="ltr" tabindex="0">${markup}</span>`
    : `<span dir="ltr">${markup}</span>`;
}

function toMathMl(converter: Temml, { tex, display }: Formula): string | undefined {
  try {
    const styled = converter.renderToString(tex, {
      displayMode: display === "block",
      throwOnError: true,
      // Formulas of a model must not set styles or links.
      trust: false,
      maxExpand: 1000,
      maxSize: MAX_SIZE,
    });
    return replaceStyles(styled);
  } catch {
    return undefined;
  }
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
