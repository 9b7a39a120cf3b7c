import type { ModelKind, ModelOf, ServedModel } from "../../core/model-directory.js";

/**
 * Returns a served model as a model of a kind: itself, or the embeddings of a model that generates
 * text; `undefined` if it has another kind.
 */
export function servedAs<Kind extends ModelKind>(
  served: ServedModel,
  kind: Kind,
): ModelOf<Kind> | undefined {
  if (isOfKind(served, kind)) return served;
  if (served.kind !== "generation" || served.embeddings === undefined) return undefined;
  return isOfKind(served.embeddings, kind) ? served.embeddings : undefined;
}

function isOfKind<Kind extends ModelKind>(model: ServedModel, kind: Kind): model is ModelOf<Kind> {
  return model.kind === kind;
}
