import { createRefusal, type ErrorDetail } from "../../core/errors.js";
import {
  NAMED_SAMPLERS,
  type NamedSampler,
  SAMPLER_LETTERS,
  samplerNamed,
  samplerOfLetter,
} from "../../core/samplers.js";
import { MAX_DETAILS } from "../../validation/describe-issues.js";
import { preview } from "../../validation/preview.js";

const NONE: ReadonlySet<string> = new Set();

/**
 * Parses the samplers that a request names, in the request's order.
 * @param named names in a list, or letters in a string
 * @param ignored names to skip
 * @throws {GgufdError} `invalid_request` for unknown names, and for a sampler that is named twice
 */
export function toSamplers(
  named: readonly string[] | string,
  ignored: ReadonlySet<string> = NONE,
): NamedSampler[] {
  const samplers = new Set<NamedSampler>();
  const details: ErrorDetail[] = [];
  for (const [index, name] of [...named].entries()) {
    if (ignored.has(name)) continue;
    const sampler = samplerNamed(name) ?? samplerOfLetter(name);
    if (sampler !== undefined && !samplers.has(sampler)) {
      samplers.add(sampler);
      continue;
    }
    const known = typeof named === "string" ? Object.values(SAMPLER_LETTERS) : NAMED_SAMPLERS;
    const got = `got ${preview(name)}`;
    const reason =
      sampler === undefined
        ? `expected one of ${known.join(", ")}, ${got}`
        : `expected each sampler at most once, ${got} again`;
    details.push({ field: `samplers.${index}`, reason });
  }
  if (details.length > 0) throw createRefusal("invalid_request", details.slice(0, MAX_DETAILS));
  return [...samplers];
}
