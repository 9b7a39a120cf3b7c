import type { ListedModel } from "../../api/models/models.js";
import { formatBytes, formatCount, formatRate } from "../../live-metrics/units.js";

type Fact = readonly [term: string, text: string];

/** Names of quantisations in file and model names: `Q4_K_M`, `IQ2_XS`, `BF16`, `MXFP4`. */
const QUANTISATION =
  /(?:^|[^A-Za-z0-9])(I?Q[1-8](?:_[A-Z0-9]+)*|BF16|F16|F32|MXFP4|TQ[12]_0)(?![A-Za-z0-9])/i;

/** Finds the quantisation that a model's name states. */
export function findQuantisation(name: string): string | undefined {
  return QUANTISATION.exec(name)?.[1]?.toUpperCase();
}

/**
 * Lists the properties of a model for its card; unknown ones are omitted.
 * @param tokensPerSecond speed of one answer, if it has been measured
 */
export function listModelFacts(
  { id, meta, max_model_len: context, architecture }: ListedModel,
  tokensPerSecond: number | undefined,
): readonly Fact[] {
  const quantisation = findQuantisation(id) ?? findQuantisation(meta?.name ?? "");
  const facts: readonly (readonly [term: string, text: string | undefined])[] = [
    ["Quantisation", quantisation],
    ["Size", meta && formatBytes(meta.size)],
    ["Context", context === undefined ? undefined : `${formatCount(context)} tokens`],
    ["Accepts", architecture.input_modalities.map(toPlural).join(", ")],
    ["Slots", meta && formatCount(meta.n_slots)],
    [
      "Speed",
      tokensPerSecond === undefined ? undefined : `${formatRate(tokensPerSecond)} tokens/s`,
    ],
  ];
  return facts.flatMap(([term, text]) => (text === undefined ? [] : [[term, text] as const]));
}

function toPlural(modality: ListedModel["architecture"]["input_modalities"][number]): string {
  return modality === "image" ? "images" : modality;
}
