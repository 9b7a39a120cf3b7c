/** Samplers of llama.cpp's default chain, in its order. */
export const SAMPLERS = [
  "penalties",
  "dry",
  "top_n_sigma",
  "top_k",
  "typ_p",
  "top_p",
  "min_p",
  "xtc",
  "temperature",
] as const;

export type SamplerName = (typeof SAMPLERS)[number];

/** Sampler that a chain may name, including adaptive-p, which must come last. */
export type NamedSampler = SamplerName | "adaptive_p";

/** Samplers that a chain may name: the default chain in its order, and adaptive-p. */
export const NAMED_SAMPLERS: readonly NamedSampler[] = [...SAMPLERS, "adaptive_p"];

/** Letter of each sampler in llama.cpp. */
export const SAMPLER_LETTERS: Readonly<Record<NamedSampler, string>> = {
  penalties: "e",
  dry: "d",
  top_n_sigma: "s",
  top_k: "k",
  typ_p: "y",
  top_p: "p",
  min_p: "m",
  xtc: "x",
  temperature: "t",
  adaptive_p: "a",
};

/** Aliases that llama.cpp accepts in addition to sampler names with or without `_` and `-`. */
const ALIASES: ReadonlyMap<string, NamedSampler> = new Map([
  ["nucleus", "top_p"],
  ["temp", "temperature"],
  ["typ", "typ_p"],
]);

/**
 * Finds a sampler by name, in any spelling that llama.cpp accepts; `undefined` if there is none.
 */
export function findSampler(name: string): NamedSampler | undefined {
  const spelling = normaliseName(name);
  return NAMED_SAMPLERS.find((one) => normaliseName(one) === spelling) ?? ALIASES.get(spelling);
}

/** Finds a sampler by its letter; `undefined` if there is none. */
export function findSamplerByLetter(letter: string): NamedSampler | undefined {
  return NAMED_SAMPLERS.find((one) => SAMPLER_LETTERS[one] === letter);
}

function normaliseName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
