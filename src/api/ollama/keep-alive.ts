import type { ApiKey } from "../../core/api-keys.js";
import { type KeepTime, parseKeepTime } from "../../core/keep-time.js";

/** Sender of a request. */
interface KeyHolder {
  /** `undefined`: the server has no keys. */
  readonly keyUse: { readonly key: Pick<ApiKey, "scopes"> } | undefined;
}

/**
 * Determines how long the request's model stays loaded. Only keys with the scope `admin` can change
 * this, since other keys share the model.
 * @returns `undefined`: the request does not change it
 */
export function keepTimeFor(
  { keyUse }: KeyHolder,
  { keep_alive: asked }: { readonly keep_alive?: number | string },
): KeepTime | undefined {
  const mayDecide = keyUse === undefined || keyUse.key.scopes.includes("admin");
  return asked === undefined || !mayDecide ? undefined : parseKeepTime(asked);
}
