import { type KeyHolder, mayChangeModels } from "../../core/api-keys.js";
import { type KeepTime, parseKeepTime } from "../../core/keep-time.js";

/**
 * Determines how long the request's model stays loaded. Only keys with the scope `admin` can change
 * this, since other keys share the model.
 * @returns `undefined`: the request does not change it
 */
export function resolveKeepTime(
  sender: KeyHolder,
  { keep_alive: asked }: { readonly keep_alive?: number | string },
): KeepTime | undefined {
  return asked === undefined || !mayChangeModels(sender) ? undefined : parseKeepTime(asked);
}
