import type { GgufdError } from "../../core/errors.js";
import type { ServedModel } from "../../core/model-directory.js";
import type { PooledModel } from "./pooled-model.js";

export interface ModelWait {
  readonly signal: AbortSignal;
  /** Maximum wait in milliseconds; 0: no limit. */
  readonly limitMs: number;
  /** Creates the error of a wait that exceeds the limit. */
  readonly overtimeError: () => GgufdError;
  /** Called in the same tick in which the model is granted. */
  readonly onGranted: () => void;
  /** Called after the wait has ended without the model. */
  readonly onRefused: () => void;
}

/**
 * Waits until a model is granted.
 * @throws the error that the model rejects its waiters with, the signal's reason, or the error of `overtimeError`
 */
export function waitForModel(
  model: PooledModel,
  { signal, limitMs, overtimeError, onGranted, onRefused }: ModelWait,
): Promise<ServedModel> {
  return new Promise((resolve, reject) => {
    const end = () => {
      leave();
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
    };
    const refuse = (error: unknown) => {
      end();
      reject(error);
      onRefused();
    };
    const giveUp = () => refuse(signal.reason);
    const leave = model.wait({
      granted: (served) => {
        end();
        onGranted();
        resolve(served);
      },
      refused: refuse,
    });
    const timer = limitMs === 0 ? undefined : setTimeout(() => refuse(overtimeError()), limitMs);
    signal.addEventListener("abort", giveUp, { once: true });
  });
}
