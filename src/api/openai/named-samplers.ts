import { type ErrorDetail, refusalOf } from "../../core/errors.js";
import { SAMPLERS, type SamplerName } from "../../core/generation-request.js";
import { MAX_DETAILS } from "../../validation/describe-issues.js";
import { preview } from "../../validation/preview.js";

export type NamedSampler = SamplerName | "adaptive_p";

/** What `samplers` may name: llama.cpp's default chain in its order, and adaptive-p, which ends a chain. */
export const NAMED_SAMPLERS: readonly NamedSampler[] = [...SAMPLERS, "adaptive_p"];

const LETTERS: Readonly<Record<NamedSampler, string>> = {
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

/** Names that llama.cpp accepts besides those of its samplers with or without `_` and `-`. */
const ALIASES: ReadonlyMap<string, NamedSampler> = new Map([
  ["nucleus", "top_p"],
  ["temp", "temperature"],
  ["typ", "typ_p"],
]);

const NONE: ReadonlySet<string> = new Set();

/**
 * The samplers that a request names, in its order.
 * @param named their names in a list, or their letters in a text
 * @param ignored names that are left out
 * @throws {GgufdError} `invalid_request` for names that are unknown, and for a sampler's second name
 */
export function toSamplers(
  named: readonly string[] | string,
  ignored: ReadonlySet<string> = NONE,
): NamedSampler[] {
  const samplers = new Set<NamedSampler>();
  const details: ErrorDetail[] = [];
  for (const [index, name] of [...named].entries()) {
    if (ignored.has(name)) continue;
    const sampler = samplerOf(name);
    if (sampler !== undefined && !samplers.has(sampler)) {
      samplers.add(sampler);
      continue;
    }
    const known = typeof named === "string" ? Object.values(LETTERS) : NAMED_SAMPLERS;
    const got = `got ${preview(name)}`;
    const reason =
      sampler === undefined
        ? `expected one of ${known.join(", ")}, ${got}`
        : `expected each sampler at most once, ${got} again`;
    details.push({ field: `samplers.${index}`, reason });
  }
  if (details.length > 0) throw refusalOf("invalid_request", details.slice(0, MAX_DETAILS));
  return [...samplers];
}

function samplerOf(nameOrLetter: string): NamedSampler | undefined {
  const spelling = plain(nameOrLetter);
  const isMeant = (sampler: NamedSampler) =>
    plain(sampler) === spelling || LETTERS[sampler] === nameOrLetter;
  return NAMED_SAMPLERS.find(isMeant) ?? ALIASES.get(spelling);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
