import type { MemoryUse } from "./memory-use.js";

/**
 * Maximum number of adapters per model. Requests with different sets of adapters run alternately,
 * so each additional set lengthens the wait of the others.
 */
export const MAX_ADAPTERS = 32;

/** LoRA adapter that a model may be loaded with. Plain data. */
export interface AdapterSpec {
  /** Name by which requests select the adapter. */
  readonly name: string;
  readonly path: string;
  /** Default scale, if neither the request nor the client sets one. */
  readonly scale: number;
  /**
   * `always`: used by requests that choose no adapters. `when-asked`: used only by requests that
   * name it.
   */
  readonly use: "always" | "when-asked";
}

/** Finds an adapter of a model by name; `undefined` if the model has none of this name. */
export function findAdapter<Adapter extends Pick<AdapterSpec, "name">>(
  { adapters }: { readonly adapters: readonly Adapter[] },
  name: string,
): Adapter | undefined {
  return adapters.find((adapter) => adapter.name === name);
}

/** Adapter that is loaded. Plain data. */
export interface LoadedAdapter extends AdapterSpec {
  /**
   * Memory that the adapter takes in addition to the model, if no other adapter has the same
   * content.
   */
  readonly memory: MemoryUse;
  /**
   * Prompt tokens, with their text, from which the adapter applies (activated LoRA); absent: it
   * applies from the beginning.
   */
  readonly invocation?: { readonly tokens: readonly number[]; readonly text: string };
}

/** Adapter that a request is answered with. */
export interface AdapterChoice {
  readonly name: string;
  /** Scale; 0 disables the adapter. */
  readonly scale: number;
}

/** Change of a loaded model's adapters. Plain data. */
export type AdapterChange =
  | { readonly type: "load"; readonly adapter: AdapterSpec }
  /** Running requests finish with the adapter. */
  | { readonly type: "unload"; readonly name: string };

/** Adapters of a served model. */
export interface AdapterService {
  /** Adapters in load order, except those being unloaded. */
  readonly list: readonly LoadedAdapter[];
  /** Adapters of requests that choose none: all adapters of the list that have a scale. */
  readonly defaults: readonly AdapterChoice[];
  /**
   * Loads or unloads an adapter; resolves when it can be used, or when none of its requests is
   * running any more.
   * @throws {GgufdError} `invalid_request`: the adapter does not fit the model, its name is taken
   *   or unknown, or there are {@link MAX_ADAPTERS}; `model_unavailable`
   */
  change(change: AdapterChange): Promise<void>;
  /**
   * Sets the adapters of requests that choose none, until the model is unloaded.
   * @throws {GgufdError} `invalid_request`: there is no such adapter
   */
  useByDefault(choices: readonly AdapterChoice[]): void;
}
