import type { Caller } from "../../core/caller.js";
import type { KeepTime } from "../../core/keep-time.js";
import type { ModelKind, ModelOf } from "../../core/model-directory.js";
import type { OllamaContext } from "./context.js";
import { resolveServedName } from "./model-names.js";

interface RequestedModel<Kind extends ModelKind> {
  readonly kind: Kind;
  /** `undefined`: the first model of the kind. */
  readonly name: string | undefined;
  /** `undefined`: unchanged. */
  readonly keepTime: KeepTime | undefined;
}

interface ResolvedModel<Kind extends ModelKind> {
  readonly served: ModelOf<Kind>;
  /** Milliseconds that the request waited for the model to load; 0: it was loaded already. */
  readonly loadMs: number;
}

/**
 * Resolves the model of a request, loads it if necessary, and applies the request's keep-alive
 * time.
 * @throws {GgufdError} the errors of `ModelDirectory.resolve`
 */
export async function resolveModel<Kind extends ModelKind>(
  { models, library }: Pick<OllamaContext, "models" | "library">,
  { signal, onEnd }: Pick<Caller, "signal" | "onEnd">,
  { kind, name, keepTime }: RequestedModel<Kind>,
): Promise<ResolvedModel<Kind>> {
  let loadMs = 0;
  const onLoaded = (waitedMs: number) => {
    loadMs = waitedMs;
  };
  const served = await models.resolve(kind, resolveServedName(models, name), {
    signal,
    onEnd,
    onLoaded,
  });
  if (keepTime !== undefined) library.keepAlive(served.alias, keepTime);
  return { served, loadMs };
}
