import type { MemoryUse } from "./memory-use.js";

/** Adapters of one model. The sets of them that requests use take turns: the more there are, the longer each waits. */
export const MAX_ADAPTERS = 32;

/** A LoRA adapter that a model may be loaded with. Plain data. */
export interface AdapterSpec {
  /** By which requests ask for it. */
  readonly name: string;
  readonly path: string;
  /** What its part is multiplied by where it is used and nobody says otherwise. */
  readonly scale: number;
  /** `always`: by requests that say nothing of adapters. `when-asked`: only by those that name it. */
  readonly use: "always" | "when-asked";
}

/** The adapter of this name among those of a model; `undefined`: the model has none. */
export function adapterNamed<Adapter extends Pick<AdapterSpec, "name">>(
  { adapters }: { readonly adapters: readonly Adapter[] },
  name: string,
): Adapter | undefined {
  return adapters.find((adapter) => adapter.name === name);
}

/** One that is loaded. Plain data. */
export interface LoadedAdapter extends AdapterSpec {
  /** What it takes beside the model, where no other one has the same content. */
  readonly memory: MemoryUse;
  /**
   * Tokens of a prompt at which it begins to apply (activated LoRA), with their text; absent: it applies from the
   * beginning.
   */
  readonly invocation?: { readonly tokens: readonly number[]; readonly text: string };
}

/** An adapter that a request is answered with. */
export interface AdapterChoice {
  readonly name: string;
  /** 0: it is not used. */
  readonly scale: number;
}

/** A change of the adapters of a model that is loaded. Plain data. */
export type AdapterChange =
  | { readonly type: "load"; readonly adapter: AdapterSpec }
  /** Requests that have begun end with it. */
  | { readonly type: "unload"; readonly name: string };

/** The adapters of a model that is served. */
export interface AdapterService {
  /** In the order in which they were loaded, without those that are being unloaded. */
  readonly list: readonly LoadedAdapter[];
  /** What requests that say nothing of adapters are answered with: all of the list that have a scale. */
  readonly defaults: readonly AdapterChoice[];
  /**
   * Resolves when the adapter can be used, or when none of its requests runs any more.
   * @throws {GgufdError} `invalid_request`: it does not fit the model, its name is taken or unknown, or there are
   *   {@link MAX_ADAPTERS}; `model_unavailable`
   */
  change(change: AdapterChange): Promise<void>;
  /**
   * What requests that say nothing of adapters are answered with from now on, until the model is unloaded.
   * @throws {GgufdError} `invalid_request`: there is no such adapter
   */
  useByDefault(choices: readonly AdapterChoice[]): void;
}
