import { reasonOf } from "../core/reason-of.js";
import { OtherKindError } from "../core/startup-error.js";
import type { ModelHooks } from "../engine/llama/model/loaded-models.js";
import type { ModelReport } from "./model-protocol.js";

/**
 * Loads a model in its process and reports how that goes. Never rejects.
 * @returns `undefined` when it cannot be loaded
 */
export async function hostModel<Model extends { readonly description: unknown }>(
  load: (hooks: ModelHooks) => Promise<Model>,
  send: (report: ModelReport<Model["description"]>) => void,
): Promise<Model | undefined> {
  try {
    const model = await load({
      log: (level, message) => send({ type: "log", level, message }),
      onProgress: (progress) => send({ type: "progress", progress }),
      onBroken: (reason) => send({ type: "broken", reason }),
    });
    send({ type: "loaded", description: model.description });
    return model;
  } catch (error) {
    const kind = error instanceof OtherKindError ? { kind: error.kind } : {};
    send({ type: "not-loaded", reason: reasonOf(error), ...kind });
    return undefined;
  }
}
