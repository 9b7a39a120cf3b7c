import { AsyncLocalStorage } from "node:async_hooks";
import type { ContextParams, ModelParams, NativeCompanion } from "./native-companion.js";

/** The classes of the binding. They are made in two steps: a constructor, then `init()`. */
export interface Bindings {
  AddonContext: AddonClass;
  AddonModel: AddonClass;
}

// biome-ignore lint/suspicious/noExplicitAny: TypeScript demands exactly this of a class to extend.
type AddonClass = new (...args: any[]) => { dispose(): Promise<void> };

/** Parameters of the contexts and models that are being created, by the call that creates them. */
const contextParams = new AsyncLocalStorage<ContextParams>();
const modelParams = new AsyncLocalStorage<ModelParams>();

const extended = new WeakSet<Bindings>();

/**
 * Has the binding's classes take the parameters of {@link withContextParams} and
 * {@link withModelParams} between their two steps.
 */
export function extendBindings(bindings: Bindings, native: NativeCompanion): void {
  if (extended.has(bindings)) return;
  extended.add(bindings);
  const { AddonContext, AddonModel } = bindings;
  bindings.AddonContext = class extends AddonContext {
    constructor(model: object, options: object) {
      super(model, options);
      const params = contextParams.getStore();
      if (params !== undefined) native.configureContext(this, params);
    }
  };
  bindings.AddonModel = class extends AddonModel {
    constructor(path: string, options: object) {
      super(path, options);
      const params = modelParams.getStore();
      if (params !== undefined) native.configureModel(this, params);
    }
  };
}

/** Runs a function that creates contexts, with parameters that node-llama-cpp does not pass on. */
export function withContextParams<Result>(
  params: ContextParams,
  create: () => Promise<Result>,
): Promise<Result> {
  return runIn(contextParams, params, create);
}

/** The same for a function that loads models. */
export function withModelParams<Result>(
  params: ModelParams,
  create: () => Promise<Result>,
): Promise<Result> {
  return runIn(modelParams, params, create);
}

let creating = 0;

/** Once nothing is being created, Node no longer follows every promise of the process for these storages. */
async function runIn<Params, Result>(
  storage: AsyncLocalStorage<Params>,
  params: Params,
  create: () => Promise<Result>,
): Promise<Result> {
  creating++;
  try {
    return await storage.run(params, create);
  } finally {
    creating--;
    if (creating === 0) for (const one of [contextParams, modelParams]) one.disable();
  }
}
