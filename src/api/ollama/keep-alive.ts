import type { ApiKey } from "../../core/api-keys.js";
import { type KeepTime, keepTimeOf } from "../../core/keep-time.js";

/** Who sent a request. */
interface KeyHolder {
  /** `undefined`: the server has no keys. */
  readonly keyUse: { readonly key: Pick<ApiKey, "scopes"> } | undefined;
}

/**
 * How long the model of a request is to be kept. A key without the scope `admin` changes nothing: who shares a model
 * with others does not decide when it goes.
 * @returns `undefined`: as long as without this request
 */
export function keepTimeFor(
  { keyUse }: KeyHolder,
  { keep_alive: asked }: { readonly keep_alive?: number | string },
): KeepTime | undefined {
  const mayDecide = keyUse === undefined || keyUse.key.scopes.includes("admin");
  return asked === undefined || !mayDecide ? undefined : keepTimeOf(asked);
}
