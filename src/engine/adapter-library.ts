import type { AdapterChange, AdapterChoice, AdapterSpec, LoadedAdapter } from "../core/adapters.js";
import { GgufdError, refusalOf } from "../core/errors.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { type LoraFile, readLoraFile } from "./loading/lora-file.js";
import type { NativeAdapters } from "./native/native-adapters.js";
import type { BlockOfType } from "./native/tensor-blocks.js";
import type { AppliedAdapter } from "./native/token-context.js";

export interface AdapterLibraryOptions {
  readonly native: NativeAdapters;
  /** Of the model. */
  readonly architecture: string;
  readonly blockOf: BlockOfType;
  /** The text of tokens. */
  readonly textOf: (tokens: readonly number[]) => string;
}

/** An adapter, and who uses it. */
interface Held {
  readonly adapter: LoadedAdapter;
  readonly id: string;
  /** Generations that have not ended. */
  users: number;
  /** Called when the last one has ended, after it was unloaded. */
  onUnused: (() => void) | undefined;
}

/** The LoRA adapters of a model by their names: two names of one content are one in memory. */
export class AdapterLibrary {
  readonly #options: AdapterLibraryOptions;
  readonly #held = new Map<string, Held>();

  constructor(options: AdapterLibraryOptions) {
    this.#options = options;
  }

  get list(): readonly LoadedAdapter[] {
    return [...this.#held.values()].map(({ adapter }) => adapter);
  }

  /**
   * Loads an adapter.
   * @throws {StartupError} naming the file and what is wrong with it
   */
  async load(spec: AdapterSpec): Promise<void> {
    const { architecture, blockOf, textOf } = this.#options;
    const { name, path } = spec;
    if (this.#held.has(name)) {
      throw new StartupError(`lora ${path}: expected a name that is free, got ${name}`);
    }
    const { id, sizeBytes, invocationTokens } = await readLoraFile({
      ...{ path, architecture, blockOf },
    });
    if (![...this.#held.values()].some((one) => one.id === id)) await this.#loadContent(id, path);
    const invocation = { tokens: invocationTokens, text: textOf(invocationTokens) };
    this.#held.set(name, {
      adapter: { ...spec, sizeBytes, ...(invocationTokens.length > 0 && { invocation }) },
      id,
      users: 0,
      onUnused: undefined,
    });
  }

  async #loadContent(id: LoraFile["id"], path: string): Promise<void> {
    try {
      await this.#options.native.load(id, path);
    } catch (error) {
      throw new StartupError(
        `lora ${path}: expected an adapter for this model, got one whose tensors do not go with it: ${reasonOf(error)}`,
        error,
      );
    }
  }

  /** See {@link Engine.adapt}. */
  async change(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
    if (change.type === "unload") await this.#unload(change.name);
    else {
      await this.load(change.adapter).catch((error: unknown) => {
        if (!(error instanceof StartupError)) throw error;
        throw new GgufdError("invalid_request", `${error.message}.`, {
          param: "lora_path",
          cause: error,
        });
      });
    }
    return this.list;
  }

  /**
   * The adapters of a request, which are in use until `release`.
   * @param choices absent: those that are used by default
   * @throws {GgufdError} `invalid_request`: there is none of a name
   */
  use(choices: readonly AdapterChoice[] | undefined): AdapterUse {
    const chosen = choices ?? this.#defaults;
    const held = chosen
      .filter(({ scale }) => scale !== 0)
      .map(({ name, scale }) => ({ one: this.#known(name), scale }));
    for (const { one } of held) one.users++;
    let isReleased = false;
    return {
      applied: mergedById(held.map(({ one, scale }) => ({ id: one.id, scale }))),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        for (const { one } of held) {
          one.users--;
          if (one.users === 0) one.onUnused?.();
        }
      },
    };
  }

  /** @throws {GgufdError} `invalid_request` */
  check(choices: readonly AdapterChoice[] = []): void {
    for (const { name } of choices) this.#known(name);
  }

  get #defaults(): readonly AdapterChoice[] {
    return this.list.filter(({ use }) => use === "always");
  }

  #known(name: string): Held {
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    const names = [...this.#held.keys()].join(", ") || "none";
    throw refusalOf("invalid_request", [
      { field: "lora", reason: `expected an adapter of this model (${names}), got ${name}` },
    ]);
  }

  async #unload(name: string): Promise<void> {
    const held = this.#known(name);
    this.#held.delete(name);
    if (held.users > 0) {
      await new Promise<void>((resolve) => {
        held.onUnused = resolve;
      });
    }
    const isShared = [...this.#held.values()].some(({ id }) => id === held.id);
    if (!isShared) await this.#options.native.unload(held.id);
  }
}

/** Two names of one content are one adapter, with the sum of their scales. */
function mergedById(applied: readonly AppliedAdapter[]): readonly AppliedAdapter[] {
  const scales = new Map<string, number>();
  for (const { id, scale } of applied) scales.set(id, (scales.get(id) ?? 0) + scale);
  return [...scales].map(([id, scale]) => ({ id, scale }));
}

/** What a generation computes under. */
export interface AdapterUse {
  readonly applied: readonly AppliedAdapter[];
  /** Its generation has ended. */
  release(): void;
}
