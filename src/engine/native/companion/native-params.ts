import { AsyncLocalStorage } from "node:async_hooks";
import type { MetadataOverride } from "../../../core/metadata-override.js";
import type { ContextParams, ModelParams, NativeCompanion } from "./native-companion.js";

/** Classes of the binding. Their objects are created in two steps: constructor, then `init()`. */
export interface Bindings {
  AddonContext: AddonClass;
  AddonModel: AddonClass;
}

// biome-ignore lint/suspicious/noExplicitAny: TypeScript demands exactly this of a class to extend.
type AddonClass = new (...args: any[]) => { dispose(): Promise<void> };

/** Model parameters that node-llama-cpp does not pass on, or not to its dry runs. */
export interface LoadParams extends ModelParams {
  /** Metadata values that replace those of the file; they need no companion. */
  readonly metadataOverrides?: readonly MetadataOverride[];
}

/** Parameters of the contexts and models being created, set by the call that creates them. */
const contextParams = new AsyncLocalStorage<ContextParams>();
const loadParams = new AsyncLocalStorage<LoadParams>();

/** Bindings whose classes take parameters, with the companion that applies them, if loaded. */
const extendedBindings = new WeakMap<Bindings, { native: NativeCompanion | undefined }>();

/**
 * Makes the binding's classes apply the parameters of {@link withContextParams} and
 * {@link withModelParams} between construction and `init()`.
 * @param native without it, only metadata overrides are applied
 */
export function extendBindings(bindings: Bindings, native?: NativeCompanion): void {
  const existing = extendedBindings.get(bindings);
  if (existing !== undefined) {
    existing.native ??= native;
    return;
  }
  const companion = { native };
  extendedBindings.set(bindings, companion);
  const { AddonContext, AddonModel } = bindings;
  bindings.AddonContext = class extends AddonContext {
    constructor(model: object, options: object) {
      super(model, options);
      const params = contextParams.getStore();
      if (params !== undefined) companion.native?.configureContext(this, params);
    }
  };
  bindings.AddonModel = class extends AddonModel {
    constructor(path: string, options: object) {
      const modelParams = loadParams.getStore();
      const { metadataOverrides = [], ...params } = modelParams ?? {};
      super(path, withOverrides(options, metadataOverrides));
      if (modelParams !== undefined) companion.native?.configureModel(this, params);
    }
  };
}

/** Number types of an override: a JavaScript number does not tell integers from floats. */
const NUMBER_TYPES = { int: 0, float: 1 } as const;

/** Adds overrides to the options of the binding's class, in the form that it reads. */
function withOverrides(options: object, overrides: readonly MetadataOverride[]): object {
  if (overrides.length === 0) return options;
  const overridesList = overrides.map(({ key, type, value }) => [
    key,
    value,
    type === "int" || type === "float" ? NUMBER_TYPES[type] : undefined,
  ]);
  return { ...options, overridesList };
}

/** Runs a function that creates contexts, with parameters that node-llama-cpp does not pass on. */
export function withContextParams<Result>(
  params: ContextParams,
  create: () => Promise<Result>,
): Promise<Result> {
  return runIn(contextParams, params, create);
}

/** Runs a function that loads models, with parameters that node-llama-cpp does not pass on. */
export function withModelParams<Result>(
  params: LoadParams,
  create: () => Promise<Result>,
): Promise<Result> {
  return runIn(loadParams, params, create);
}

let activeCreations = 0;

/**
 * Disables the storages once nothing is being created, so that Node stops tracking every promise of
 * the process for them.
 */
async function runIn<Params, Result>(
  storage: AsyncLocalStorage<Params>,
  params: Params,
  create: () => Promise<Result>,
): Promise<Result> {
  activeCreations++;
  try {
    return await storage.run(params, create);
  } finally {
    activeCreations--;
    if (activeCreations === 0) for (const one of [contextParams, loadParams]) one.disable();
  }
}
