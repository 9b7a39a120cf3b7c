/**
 * A pattern that matches control-token texts, longest first as in llama.cpp; `undefined` for a model
 * without any.
 */
export function controlTokenPattern(texts: readonly string[]): RegExp | undefined {
  const alternatives = texts
    .filter((text) => text !== "")
    .toSorted((a, b) => b.length - a.length)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return alternatives.length === 0 ? undefined : new RegExp(alternatives.join("|"), "g");
}
