import {
  type AdapterChange,
  type AdapterChoice,
  type AdapterService,
  type LoadedAdapter,
  MAX_ADAPTERS,
} from "../core/adapters.js";
import type { Engine } from "../core/engine.js";
import { createRefusal } from "../core/errors.js";

/** The LoRA adapters of a model, as clients use and change them. */
export class ServedAdapters implements AdapterService {
  readonly #engine: Pick<Engine, "adapt">;
  #loadedAdapters: readonly LoadedAdapter[];
  /**
   * Names of adapters that are being loaded or unloaded. They cannot be used, and their names are
   * taken.
   */
  readonly #changingNames = new Set<string>();
  /** Serialises loads: loading one file twice concurrently would keep two copies in memory. */
  #lastLoad: Promise<unknown> = Promise.resolve();
  #defaultChoices: readonly AdapterChoice[] | undefined;

  constructor(engine: Pick<Engine, "adapt" | "description">) {
    this.#engine = engine;
    this.#loadedAdapters = engine.description.adapters ?? [];
  }

  get list(): readonly LoadedAdapter[] {
    return this.#loadedAdapters.filter(({ name }) => !this.#changingNames.has(name));
  }

  get defaults(): readonly AdapterChoice[] {
    return (
      this.chosenDefaults ??
      this.list.filter(({ use }) => use === "always").map(({ name, scale }) => ({ name, scale }))
    );
  }

  /**
   * Adapters chosen by {@link useByDefault} that are still loaded; `undefined`: none were chosen,
   * and the engine's defaults apply.
   */
  get chosenDefaults(): readonly AdapterChoice[] | undefined {
    const names = new Set(this.list.map(({ name }) => name));
    return this.#defaultChoices?.filter(({ name }) => names.has(name));
  }

  /** Sets the adapters of a new engine, which has replaced one that exited. */
  restore(loaded: readonly LoadedAdapter[] = []): void {
    this.#loadedAdapters = loaded;
  }

  async change(change: AdapterChange): Promise<void> {
    const name = change.type === "load" ? change.adapter.name : change.name;
    if (change.type === "load") this.#expectRoomFor(name);
    else this.#expectKnown(name, "lora_name");
    this.#changingNames.add(name);
    try {
      this.#loadedAdapters = await (change.type === "load"
        ? this.#load(change)
        : this.#engine.adapt(change));
    } finally {
      this.#changingNames.delete(name);
    }
  }

  useByDefault(choices: readonly AdapterChoice[]): void {
    for (const { name } of choices) this.#expectKnown(name, "lora");
    this.#defaultChoices = choices.filter(({ scale }) => scale !== 0);
  }

  #load(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
    const loaded = this.#lastLoad.then(() => this.#engine.adapt(change));
    this.#lastLoad = loaded.catch(() => undefined);
    return loaded;
  }

  #expectRoomFor(name: string): void {
    const names = new Set([...this.#loadedAdapters.map((one) => one.name), ...this.#changingNames]);
    if (names.has(name)) throw createRefusal("invalid_request", [buildNameConflict(name)]);
    if (names.size < MAX_ADAPTERS) return;
    const reason = `expected at most ${MAX_ADAPTERS} adapters of a model, got one more`;
    throw createRefusal("invalid_request", [{ field: "lora_name", reason }]);
  }

  #expectKnown(name: string, field: string): void {
    const names = this.list.map((one) => one.name);
    if (names.includes(name)) return;
    const reason = `expected an adapter of this model (${names.join(", ") || "it has none"}), got ${name}`;
    throw createRefusal("invalid_request", [{ field, reason }]);
  }
}

function buildNameConflict(name: string) {
  return { field: "lora_name", reason: `expected a unique name, got ${name}` };
}
