import assert from "node:assert/strict";
import type { AddonContext, AddonLora, ModelInternals } from "./addon.js";
import type { AppliedAdapter } from "./token-context.js";

/** LoRA adapters in memory, by content id, and the set that a context currently computes with. */
export class NativeAdapters {
  readonly #model: ModelInternals;
  readonly #context: AddonContext;
  readonly #loadedAdapters = new Map<string, AddonLora>();
  #appliedAdapters: readonly AppliedAdapter[] = [];

  constructor(model: ModelInternals, context: AddonContext) {
    this.#model = model;
    this.#context = context;
  }

  /** @throws {Error} llama.cpp cannot load the adapter, e.g. because it is for another model */
  async load(id: string, path: string): Promise<void> {
    assert(!this.#loadedAdapters.has(id), `the adapter ${id} is already loaded`);
    const { _llama, _model } = this.#model;
    const lora = new _llama._bindings.AddonModelLora(_model, path);
    await _model.loadLora(lora);
    this.#loadedAdapters.set(id, lora);
  }

  /** Frees an adapter, which must not be applied. */
  async unload(id: string): Promise<void> {
    const lora = this.#loadedAdapters.get(id);
    assert(lora !== undefined, `the adapter ${id} is not loaded`);
    assert(
      !this.#appliedAdapters.some((one) => one.id === id),
      `cannot free the adapter ${id} while it is applied`,
    );
    this.#loadedAdapters.delete(id);
    await lora.dispose();
  }

  /** Returns whether the adapters differ from the applied ones. */
  differ(adapters: readonly AppliedAdapter[]): boolean {
    const applied = this.#appliedAdapters;
    return (
      adapters.length !== applied.length ||
      adapters.some(({ id, scale }, index) => {
        const one = applied[index];
        return one?.id !== id || one.scale !== scale;
      })
    );
  }

  apply(adapters: readonly AppliedAdapter[]): void {
    const loras = adapters.map(({ id }) => {
      const lora = this.#loadedAdapters.get(id);
      assert(lora !== undefined, `the adapter ${id} is not loaded`);
      return lora;
    });
    this.#context.setLoras(
      loras,
      adapters.map(({ scale }) => scale),
    );
    this.#appliedAdapters = adapters;
  }
}
