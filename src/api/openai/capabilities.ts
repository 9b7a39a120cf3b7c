import type { ServedModel } from "../../core/model-directory.js";

/** What models can do, as `/v1/models` names it. */
export const CAPABILITIES = [
  "completion",
  "tools",
  "structured_output",
  "reasoning",
  "infill",
  "embedding",
  "reranking",
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** What a model can do. Tools and structured output work with every model that generates text. */
export function capabilitiesOf(served: ServedModel): Capability[] {
  if (served.kind !== "generation") return [served.kind];
  const { rendersReasoning = false, fillsGaps = false } = served.engine;
  return [
    "completion",
    "tools",
    "structured_output",
    ...(rendersReasoning ? (["reasoning"] as const) : []),
    ...(fillsGaps ? (["infill"] as const) : []),
  ];
}
