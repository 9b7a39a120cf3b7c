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
  #loaded: readonly LoadedAdapter[];
  /**
   * Names of adapters that are being loaded or unloaded. They cannot be used, and their names are
   * taken.
   */
  readonly #changing = new Set<string>();
  /** Serialises loads: loading one file twice concurrently would keep two copies in memory. */
  #lastLoad: Promise<unknown> = Promise.resolve();
  #chosen: readonly AdapterChoice[] | undefined;

  constructor(engine: Pick<Engine, "adapt" | "description">) {
    this.#engine = engine;
    this.#loaded = engine.description.adapters ?? [];
  }

  get list(): readonly LoadedAdapter[] {
    return this.#loaded.filter(({ name }) => !this.#changing.has(name));
  }

  get defaults(): readonly AdapterChoice[] {
    return (
      this.chosen ??
      this.list.filter(({ use }) => use === "always").map(({ name, scale }) => ({ name, scale }))
    );
  }

  /**
   * Adapters chosen by {@link useByDefault} that are still loaded; `undefined`: none were chosen,
   * and the engine's defaults apply.
   */
  get chosen(): readonly AdapterChoice[] | undefined {
    const names = new Set(this.list.map(({ name }) => name));
    return this.#chosen?.filter(({ name }) => names.has(name));
  }

  /** Sets the adapters of a new engine, which has replaced one that exited. */
  restore(loaded: readonly LoadedAdapter[] = []): void {
    this.#loaded = loaded;
  }

  async change(change: AdapterChange): Promise<void> {
    const name = change.type === "load" ? change.adapter.name : change.name;
    if (change.type === "load") this.#expectRoomFor(name);
    else this.#expectKnown(name, "lora_name");
    this.#changing.add(name);
    try {
      this.#loaded = await (change.type === "load"
        ? this.#load(change)
        : this.#engine.adapt(change));
    } finally {
      this.#changing.delete(name);
    }
  }

  useByDefault(choices: readonly AdapterChoice[]): void {
    for (const { name } of choices) this.#expectKnown(name, "lora");
    this.#chosen = choices.filter(({ scale }) => scale !== 0);
  }

  #load(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
    const loaded = this.#lastLoad.then(() => this.#engine.adapt(change));
    this.#lastLoad = loaded.catch(() => undefined);
    return loaded;
  }

  #expectRoomFor(name: string): void {
    const names = new Set([...this.#loaded.map((one) => one.name), ...this.#changing]);
    if (names.has(name)) throw createRefusal("invalid_request", [taken(name)]);
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

function taken(name: string) {
  return { field: "lora_name", reason: `expected a unique name, got ${name}` };
}
