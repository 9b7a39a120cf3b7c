import type { AdapterChange, AdapterChoice, AdapterSpec, LoadedAdapter } from "../core/adapters.js";
import { createRefusal, GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import { formatBinaryUnits, type MemoryUse } from "../core/memory-use.js";
import { StartupError } from "../core/startup-error.js";
import { expectFiniteWeights } from "./loading/check-weights.js";
import { type LoraFile, readLoraFile } from "./loading/lora-file.js";
import type { BlockOfType } from "./native/tensor-blocks.js";
import type { AppliedAdapter } from "./native/token-context.js";

/**
 * LoRA adapters in memory, identified by their content. Loading and unloading wait for the gap
 * between two batches.
 */
export interface AdapterMemory {
  /** Returns the memory that an adapter occupies. */
  estimateUse(bytes: number): MemoryUse;
  /** Returns the memory that is currently free. */
  readFree(): Promise<MemoryUse>;
  /** @throws {Error} the adapter belongs to another model */
  load(id: string, path: string): Promise<void>;
  /** Unloads an adapter; no later batch may use it. */
  unload(id: string): Promise<void>;
}

export interface AdapterLibraryOptions {
  readonly memory: AdapterMemory;
  /** Architecture of the model. */
  readonly architecture: string;
  readonly vocabularySize: number;
  readonly blockOf: BlockOfType;
  /** Decodes tokens to text. */
  readonly textOf: (tokens: readonly number[]) => string;
}

/** Weights in memory, shared by all adapters with the same content. */
interface Content {
  readonly id: string;
  /** Number of adapters with this content. */
  names: number;
  /** Number of running generations that use this content. */
  users: number;
  /** Called when no generation uses the content, or an adapter refers to it again. */
  settleCallbacks: (() => void)[];
}

interface NamedAdapter {
  readonly adapter: LoadedAdapter;
  readonly content: Content;
}

/** LoRA adapters of a model, by name. Adapters with the same content share their weights. */
export class AdapterLibrary {
  readonly #options: AdapterLibraryOptions;
  readonly #namedAdapters = new Map<string, NamedAdapter>();
  readonly #contents = new Map<string, Content>();
  /** Serialises loading and unloading. Never rejects. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(options: AdapterLibraryOptions) {
    this.#options = options;
  }

  get list(): readonly LoadedAdapter[] {
    return [...this.#namedAdapters.values()].map(({ adapter }) => adapter);
  }

  /**
   * Loads an adapter.
   * @throws {StartupError} names the file and the problem
   */
  load(spec: AdapterSpec): Promise<void> {
    return this.#runInTurn(() => this.#load(spec));
  }

  async #load({ name, path, scale, use }: AdapterSpec): Promise<void> {
    const { textOf, memory } = this.#options;
    if (this.#namedAdapters.has(name)) {
      throw new StartupError(`lora ${path}: expected a unique name, got ${name}`);
    }
    const file = await readLoraFile({ ...this.#options, path });
    const { sizeBytes, invocationTokens: tokens } = file;
    const content = this.#contents.get(file.id) ?? (await this.#loadContent(file, path));
    content.names++;
    settle(content);
    const invocation = tokens.length > 0 ? { tokens, text: textOf(tokens) } : undefined;
    const taken = { memory: memory.estimateUse(sizeBytes), ...(invocation && { invocation }) };
    this.#namedAdapters.set(name, { adapter: { name, path, scale, use, ...taken }, content });
  }

  async #loadContent({ id, sizeBytes, header }: LoraFile, path: string): Promise<Content> {
    const { memory, blockOf } = this.#options;
    const shortage = describeShortage(memory.estimateUse(sizeBytes), await memory.readFree());
    if (shortage !== undefined) throw new StartupError(`lora ${path}: ${shortage}`);
    await expectFiniteWeights(path, header, blockOf).catch((error: unknown) => {
      throw new StartupError(`lora ${path}: ${formatReason(error)}`, error);
    });
    try {
      await memory.load(id, path);
      const content: Content = { id, names: 0, users: 0, settleCallbacks: [] };
      this.#contents.set(id, content);
      return content;
    } catch (error) {
      throw new StartupError(
        `lora ${path}: expected an adapter for this model, got one with other tensors: ${formatReason(error)}`,
        error,
      );
    }
  }

  /** Implements {@link Engine.adapt}. */
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
   * Selects the adapters of a request, which stay loaded until `release`.
   * @param choices absent: the default adapters
   * @param promptTokens searched for the tokens that invoke an adapter
   * @throws {GgufdError} the errors of {@link check}
   */
  select(
    choices: readonly AdapterChoice[] | undefined,
    promptTokens: readonly number[],
  ): AdapterUse {
    const selected = this.#selectAdapters(choices);
    for (const { named } of selected) named.content.users++;
    let isReleased = false;
    return {
      ...selectApplied(promptTokens, selected),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        for (const { named } of selected) {
          named.content.users--;
          settle(named.content);
        }
      },
    };
  }

  /**
   * Checks that a request can use these adapters.
   * @param choices absent: the default adapters
   * @throws {GgufdError} `model_not_found`: no adapter has the name; `invalid_request`: an adapter
   *   that must be used alone is combined with others
   */
  check(choices: readonly AdapterChoice[] | undefined): void {
    this.#selectAdapters(choices);
  }

  #selectAdapters(choices: readonly AdapterChoice[] = this.#defaults): readonly SelectedAdapter[] {
    const selected = choices
      .map(({ name, scale }) => ({ named: this.#getAdapter(name), scale }))
      .filter(({ scale }) => scale !== 0);
    const names = selected.map(({ named }) => named.adapter.name);
    const activatedAdapter = selected.find(({ named }) => named.adapter.invocation !== undefined);
    if (activatedAdapter === undefined || selected.length === 1) return selected;
    const { name } = activatedAdapter.named.adapter;
    throw createRefusal("invalid_request", [
      {
        field: "lora",
        reason: `expected no other adapters with ${name}, which has invocation tokens, got ${names.join(", ")}`,
      },
    ]);
  }

  get #defaults(): readonly AdapterChoice[] {
    return this.list.filter(({ use }) => use === "always");
  }

  #getAdapter(name: string): NamedAdapter {
    const namedAdapter = this.#namedAdapters.get(name);
    if (namedAdapter !== undefined) return namedAdapter;
    const names = [...this.#namedAdapters.keys()].join(", ") || "none";
    // The adapter existed when the name or id was resolved, so it was unloaded since.
    const message = `The adapter ${name} has been unloaded. Loaded adapters of this model: ${names}.`;
    throw new GgufdError("model_not_found", message);
  }

  async #unload(name: string): Promise<void> {
    const { content } = this.#getAdapter(name);
    this.#namedAdapters.delete(name);
    content.names--;
    if (!isSettled(content)) {
      await new Promise<void>((resolve) => {
        content.settleCallbacks.push(resolve);
      });
    }
    await this.#runInTurn(async () => {
      const { id, names, users } = content;
      if (names > 0 || users > 0 || this.#contents.get(id) !== content) return;
      this.#contents.delete(id);
      await this.#options.memory.unload(id);
    });
  }

  #runInTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const result = this.#changes.then(change);
    this.#changes = result.catch(() => undefined);
    return result;
  }
}

/** Describes why the free memory is insufficient; `undefined`: it is sufficient. */
function describeShortage(requiredMemory: MemoryUse, free: MemoryUse): string | undefined {
  if (requiredMemory.gpuBytes > free.gpuBytes) {
    return `needs ${formatBinaryUnits(requiredMemory.gpuBytes)} of GPU memory, but only ${formatBinaryUnits(free.gpuBytes)} is free`;
  }
  if (requiredMemory.cpuBytes > free.cpuBytes) {
    return `needs ${formatBinaryUnits(requiredMemory.cpuBytes)} of memory, but only ${formatBinaryUnits(free.cpuBytes)} is free`;
  }
  return undefined;
}

function isSettled({ names, users }: Content): boolean {
  return names > 0 || users === 0;
}

/** Notifies the waiting unload requests if the content is settled. */
function settle(content: Content): void {
  if (!isSettled(content)) return;
  for (const callback of content.settleCallbacks.splice(0)) callback();
}

/**
 * Determines the adapters of a generation, and the token from which they apply. An adapter with
 * invocation tokens is omitted if the prompt does not contain them.
 */
function selectApplied(
  promptTokens: readonly number[],
  chosen: readonly SelectedAdapter[],
): Pick<AdapterUse, "applied" | "appliedFrom"> {
  const applied = mergeById(chosen.map(({ named, scale }) => ({ id: named.content.id, scale })));
  const invocation = chosen[0]?.named.adapter.invocation;
  if (invocation === undefined) return { applied };
  const appliedFrom = findLastOccurrence(promptTokens, invocation.tokens);
  return appliedFrom === undefined ? { applied: [] } : { applied, appliedFrom };
}

function findLastOccurrence(
  tokens: readonly number[],
  part: readonly number[],
): number | undefined {
  for (let begin = tokens.length - part.length; begin >= 0; begin--) {
    if (part.every((token, index) => tokens[begin + index] === token)) return begin;
  }
  return undefined;
}

/** Merges adapters with the same content, adding their scales. */
function mergeById(applied: readonly AppliedAdapter[]): readonly AppliedAdapter[] {
  const scales = new Map<string, number>();
  for (const { id, scale } of applied) scales.set(id, (scales.get(id) ?? 0) + scale);
  return [...scales].map(([id, scale]) => ({ id, scale }));
}

/** Selected adapter with a scale other than 0. */
interface SelectedAdapter {
  readonly named: NamedAdapter;
  readonly scale: number;
}

/** Adapters that a generation is computed with. */
export interface AdapterUse {
  readonly applied: readonly AppliedAdapter[];
  /** Index of the first prompt token to which the adapters apply; absent: 0. */
  readonly appliedFrom?: number;
  /** Called when the generation has ended. */
  release(): void;
}
