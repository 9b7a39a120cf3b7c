import { createRefusal, type ErrorDetail } from "../../core/errors.js";
import {
  findSampler,
  findSamplerByLetter,
  NAMED_SAMPLERS,
  type NamedSampler,
  SAMPLER_LETTERS,
} from "../../core/samplers.js";
import { MAX_DETAILS } from "../../validation/describe-issues.js";
import { preview } from "../../validation/preview.js";

const NONE: ReadonlySet<string> = new Set();

/**
 * Parses the samplers that a request names, in the request's order.
 * @param samplerNames names in a list, or letters in a string
 * @param ignored names to skip
 * @throws {GgufdError} `invalid_request` for unknown names, and for a sampler that is named twice
 */
export function toSamplers(
  samplerNames: readonly string[] | string,
  ignored: ReadonlySet<string> = NONE,
): NamedSampler[] {
  const samplers = new Set<NamedSampler>();
  const details: ErrorDetail[] = [];
  for (const [index, name] of [...samplerNames].entries()) {
    if (ignored.has(name)) continue;
    const sampler = findSampler(name) ?? findSamplerByLetter(name);
    if (sampler !== undefined && !samplers.has(sampler)) {
      samplers.add(sampler);
      continue;
    }
    const knownNames =
      typeof samplerNames === "string" ? Object.values(SAMPLER_LETTERS) : NAMED_SAMPLERS;
    const got = `got ${preview(name)}`;
    const reason =
      sampler === undefined
        ? `expected one of ${knownNames.join(", ")}, ${got}`
        : `expected each sampler at most once, ${got} again`;
    details.push({ field: `samplers.${index}`, reason });
  }
  if (details.length > 0) throw createRefusal("invalid_request", details.slice(0, MAX_DETAILS));
  return [...samplers];
}
