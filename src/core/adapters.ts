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

/** One that is loaded. Plain data. */
export interface LoadedAdapter extends AdapterSpec {
  readonly sizeBytes: number;
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
  /** In the order in which they were loaded. */
  readonly list: readonly LoadedAdapter[];
  /**
   * @throws {GgufdError} `invalid_request`: it does not fit the model, or its name is taken or unknown; `model_unavailable`
   */
  change(change: AdapterChange): Promise<void>;
  /**
   * What requests that say nothing of adapters are answered with from now on.
   * @throws {GgufdError} `invalid_request`: there is no such adapter
   */
  useByDefault(choices: readonly AdapterChoice[]): void;
}
