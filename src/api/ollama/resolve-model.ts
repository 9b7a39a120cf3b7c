import type { Caller } from "../../core/caller.js";
import type { KeepTime } from "../../core/keep-time.js";
import type { ModelKind, ModelOf } from "../../core/model-directory.js";
import type { OllamaContext } from "./context.js";
import { servedName } from "./model-names.js";

interface AskedModel<Kind extends ModelKind> {
  readonly kind: Kind;
  /** `undefined`: the first one of the kind. */
  readonly name: string | undefined;
  /** `undefined`: as it is. */
  readonly keepTime: KeepTime | undefined;
}

interface ResolvedModel<Kind extends ModelKind> {
  readonly served: ModelOf<Kind>;
  /** How long the request has waited until the model was loaded, in milliseconds; 0: it was already. */
  readonly loadMs: number;
}

/**
 * The model of a request, which is loaded if it is not, and kept for as long as the request says.
 * @throws {GgufdError} the errors of `ModelDirectory.resolve`
 */
export async function resolveModel<Kind extends ModelKind>(
  { models, library }: Pick<OllamaContext, "models" | "library">,
  { signal, onEnd }: Pick<Caller, "signal" | "onEnd">,
  { kind, name, keepTime }: AskedModel<Kind>,
): Promise<ResolvedModel<Kind>> {
  let loadMs = 0;
  const onLoaded = (waitedMs: number) => {
    loadMs = waitedMs;
  };
  const served = await models.resolve(kind, servedName(models, name), { signal, onEnd, onLoaded });
  if (keepTime !== undefined) library.keepAlive(served.alias, keepTime);
  return { served, loadMs };
}
