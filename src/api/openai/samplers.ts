import type { SamplingParameters } from "../../core/generation-request.js";

/** The samplers of llama.cpp's default chain, in its order, with their letters. */
const LETTERS = {
  penalties: "e",
  dry: "d",
  top_n_sigma: "s",
  top_k: "k",
  typ_p: "y",
  top_p: "p",
  min_p: "m",
  xtc: "x",
  temperature: "t",
} as const;

type Sampler = keyof typeof LETTERS;

export const SAMPLERS = Object.keys(LETTERS) as readonly Sampler[];

/** Names that llama.cpp accepts besides those of the chain with or without `_` and `-`. */
const ALIASES: ReadonlyMap<string, Sampler> = new Map([
  ["nucleus", "top_p"],
  ["temp", "temperature"],
  ["typ", "typ_p"],
]);

/** Whether the engine can apply these samplers: each at most once, in the chain's order. */
export function areInChainOrder(samplers: unknown): boolean {
  const places = namesOf(samplers).map(placeInChain);
  return places.every((place, index) => place > (places[index - 1] ?? -1));
}

/** The sampling of a request whose `samplers` are these: what the others do is turned off. */
export function restrictTo(
  samplers: readonly string[] | string,
  sampling: SamplingParameters,
): SamplingParameters {
  const used = new Set(namesOf(samplers).map((name) => SAMPLERS[placeInChain(name)]));
  return {
    ...sampling,
    ...(!used.has("penalties") && {
      repetitionPenalty: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
    }),
    ...(!used.has("dry") && { dry: undefined }),
    ...(!used.has("top_k") && { topK: 0 }),
    ...(!used.has("top_p") && { topP: 1 }),
    ...(!used.has("min_p") && { minP: 0 }),
    ...(!used.has("xtc") && { xtc: undefined }),
    ...(!used.has("temperature") && { temperature: 1 }),
  };
}

/** The names in a list of names, or the letters in a text. */
function namesOf(samplers: unknown): readonly string[] {
  if (typeof samplers === "string") return [...samplers];
  return Array.isArray(samplers) ? samplers.map(String) : [];
}

/** The index of a sampler in the chain; −1: the engine has no such sampler. */
function placeInChain(name: string): number {
  const spelling = plain(name);
  return SAMPLERS.findIndex(
    (sampler) =>
      plain(sampler) === spelling || LETTERS[sampler] === name || ALIASES.get(spelling) === sampler,
  );
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
