import type { SamplingDefaults, SamplingParameters } from "../../core/generation-request.js";

/** The parameters that are objects: each of their fields has a default of its own. */
const GROUPS = ["dry", "xtc", "dynamicTemperature", "mirostat", "adaptiveP"] as const;

/** Parameters, with what others say where they are silent. */
export function withDefaults<Given extends SamplingDefaults>(
  given: Given,
  defaults: SamplingDefaults,
): Given & SamplingDefaults {
  const groups = GROUPS.flatMap((group) => {
    const fields = { ...defaults[group], ...withoutAbsent(given[group] ?? {}) };
    return Object.keys(fields).length === 0 ? [] : [[group, fields]];
  });
  return { ...defaults, ...withoutAbsent(given), ...Object.fromEntries(groups) };
}

function withoutAbsent<Fields extends object>(fields: Fields): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Fields;
}

/** Parameters with those samplers off that {@link SamplingParameters.samplers} leaves out. */
export function restricted(sampling: SamplingParameters): SamplingParameters {
  if (sampling.samplers === undefined) return sampling;
  const used = new Set(sampling.samplers);
  // Mirostat follows the temperature, whatever the other samplers are.
  const hasTemperature = used.has("temperature") || (sampling.mirostat?.version ?? 0) > 0;
  return {
    ...sampling,
    ...(!used.has("penalties") && {
      repetitionPenalty: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
    }),
    ...(!used.has("dry") && { dry: {} }),
    ...(!used.has("top_n_sigma") && { topNSigma: 0 }),
    ...(!used.has("top_k") && { topK: 0 }),
    ...(!used.has("typ_p") && { typicalP: 1 }),
    ...(!used.has("top_p") && { topP: 1 }),
    ...(!used.has("min_p") && { minP: 0 }),
    ...(!used.has("xtc") && { xtc: {} }),
    ...(!hasTemperature && { temperature: 1, dynamicTemperature: {} }),
  };
}
