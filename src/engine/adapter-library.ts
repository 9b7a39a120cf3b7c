import type { AdapterChange, AdapterChoice, AdapterSpec, LoadedAdapter } from "../core/adapters.js";
import { createRefusal, GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import { inBinaryUnits, type MemoryUse } from "../core/memory-use.js";
import { StartupError } from "../core/startup-error.js";
import { expectFiniteWeights } from "./loading/finite-weights.js";
import { type LoraFile, readLoraFile } from "./loading/lora-file.js";
import type { BlockOfType } from "./native/tensor-blocks.js";
import type { AppliedAdapter } from "./native/token-context.js";

/** The adapters in memory, by what names their content. They change between two batches, and wait for that. */
export interface AdapterMemory {
  /** Memory of an adapter. */
  useOf(bytes: number): MemoryUse;
  /** Memory that is currently free. */
  free(): Promise<MemoryUse>;
  /** @throws {Error} it is for another model */
  load(id: string, path: string): Promise<void>;
  /** Nothing that is computed with it follows. */
  unload(id: string): Promise<void>;
}

export interface AdapterLibraryOptions {
  readonly memory: AdapterMemory;
  /** Of the model. */
  readonly architecture: string;
  readonly vocabularySize: number;
  readonly blockOf: BlockOfType;
  /** The text of tokens. */
  readonly textOf: (tokens: readonly number[]) => string;
}

/** Loaded content, shared by all adapters with equal files. */
interface Content {
  readonly id: string;
  /** Adapters that have it. */
  names: number;
  /** Generations with it that have not ended. */
  users: number;
  /** Called when no generation uses it, or an adapter has it again. */
  onSettled: (() => void)[];
}

interface Held {
  readonly adapter: LoadedAdapter;
  readonly content: Content;
}

/** The LoRA adapters of a model by their names: two names of one content are one in memory. */
export class AdapterLibrary {
  readonly #options: AdapterLibraryOptions;
  readonly #held = new Map<string, Held>();
  readonly #contents = new Map<string, Content>();
  /** Changes of the memory, one after the other. Never rejects. */
  #changes: Promise<unknown> = Promise.resolve();

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
  load(spec: AdapterSpec): Promise<void> {
    return this.#inTurn(() => this.#load(spec));
  }

  async #load({ name, path, scale, use }: AdapterSpec): Promise<void> {
    const { textOf, memory } = this.#options;
    if (this.#held.has(name)) {
      throw new StartupError(`lora ${path}: expected a name that is not taken, got ${name}`);
    }
    const file = await readLoraFile({ ...this.#options, path });
    const { sizeBytes, invocationTokens: tokens } = file;
    const content = this.#contents.get(file.id) ?? (await this.#loadContent(file, path));
    content.names++;
    settle(content);
    const invocation = tokens.length > 0 ? { tokens, text: textOf(tokens) } : undefined;
    const taken = { memory: memory.useOf(sizeBytes), ...(invocation && { invocation }) };
    this.#held.set(name, { adapter: { name, path, scale, use, ...taken }, content });
  }

  async #loadContent({ id, sizeBytes, header }: LoraFile, path: string): Promise<Content> {
    const { memory, blockOf } = this.#options;
    const shortage = describeShortage(memory.useOf(sizeBytes), await memory.free());
    if (shortage !== undefined) throw new StartupError(`lora ${path}: ${shortage}`);
    await expectFiniteWeights(path, header, blockOf).catch((error: unknown) => {
      throw new StartupError(`lora ${path}: ${formatReason(error)}`, error);
    });
    try {
      await memory.load(id, path);
      const content: Content = { id, names: 0, users: 0, onSettled: [] };
      this.#contents.set(id, content);
      return content;
    } catch (error) {
      throw new StartupError(
        `lora ${path}: expected an adapter for this model, got one whose tensors do not go with it: ${formatReason(error)}`,
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
   * @param choices absent: the adapters that are used by default
   * @param promptTokens of which some may activate an adapter
   * @throws {GgufdError} see {@link check}
   */
  use(choices: readonly AdapterChoice[] | undefined, promptTokens: readonly number[]): AdapterUse {
    const held = this.#chosen(choices);
    for (const { one } of held) one.content.users++;
    let isReleased = false;
    return {
      ...appliedTo(promptTokens, held),
      release: () => {
        if (isReleased) return;
        isReleased = true;
        for (const { one } of held) {
          one.content.users--;
          settle(one.content);
        }
      },
    };
  }

  /**
   * @param choices absent: the adapters that are used by default
   * @throws {GgufdError} `model_not_found`: there is none of a name; `invalid_request`: one that has to be used alone is not
   */
  check(choices: readonly AdapterChoice[] | undefined): void {
    this.#chosen(choices);
  }

  #chosen(choices: readonly AdapterChoice[] = this.#defaults): readonly Chosen[] {
    const chosen = choices
      .map(({ name, scale }) => ({ one: this.#known(name), scale }))
      .filter(({ scale }) => scale !== 0);
    const names = chosen.map(({ one }) => one.adapter.name);
    const activated = chosen.find(({ one }) => one.adapter.invocation !== undefined);
    if (activated === undefined || chosen.length === 1) return chosen;
    const { name } = activated.one.adapter;
    throw createRefusal("invalid_request", [
      {
        field: "lora",
        reason: `expected ${name} alone, which applies from its invocation tokens on, got ${names.join(", ")}`,
      },
    ]);
  }

  get #defaults(): readonly AdapterChoice[] {
    return this.list.filter(({ use }) => use === "always");
  }

  #known(name: string): Held {
    const held = this.#held.get(name);
    if (held !== undefined) return held;
    const names = [...this.#held.keys()].join(", ") || "none";
    // Who asks knew it a moment ago, by its name or its id.
    const message = `The adapter ${name} does not exist any more; this model's are: ${names}.`;
    throw new GgufdError("model_not_found", message);
  }

  async #unload(name: string): Promise<void> {
    const { content } = this.#known(name);
    this.#held.delete(name);
    content.names--;
    if (!isSettled(content)) {
      await new Promise<void>((resolve) => {
        content.onSettled.push(resolve);
      });
    }
    await this.#inTurn(async () => {
      const { id, names, users } = content;
      if (names > 0 || users > 0 || this.#contents.get(id) !== content) return;
      this.#contents.delete(id);
      await this.#options.memory.unload(id);
    });
  }

  #inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const done = this.#changes.then(change);
    this.#changes = done.catch(() => undefined);
    return done;
  }
}

/** Describes the memory that an adapter lacks; `undefined`: it fits. */
function describeShortage(wanted: MemoryUse, free: MemoryUse): string | undefined {
  if (wanted.gpuBytes > free.gpuBytes) {
    return `takes ${inBinaryUnits(wanted.gpuBytes)} on the GPU, where ${inBinaryUnits(free.gpuBytes)} are free`;
  }
  if (wanted.cpuBytes > free.cpuBytes) {
    return `takes ${inBinaryUnits(wanted.cpuBytes)} of memory, of which ${inBinaryUnits(free.cpuBytes)} are free`;
  }
  return undefined;
}

function isSettled({ names, users }: Content): boolean {
  return names > 0 || users === 0;
}

/** Notifies the waiters of settled content. */
function settle(content: Content): void {
  if (!isSettled(content)) return;
  for (const tell of content.onSettled.splice(0)) tell();
}

/** Returns the chosen adapters that apply to a prompt. An adapter that the prompt does not invoke is omitted. */
function appliedTo(
  promptTokens: readonly number[],
  chosen: readonly Chosen[],
): Pick<AdapterUse, "applied" | "appliedFrom"> {
  const applied = mergedById(chosen.map(({ one, scale }) => ({ id: one.content.id, scale })));
  const invocation = chosen[0]?.one.adapter.invocation;
  if (invocation === undefined) return { applied };
  const appliedFrom = lastOccurrence(promptTokens, invocation.tokens);
  return appliedFrom === undefined ? { applied: [] } : { applied, appliedFrom };
}

function lastOccurrence(tokens: readonly number[], part: readonly number[]): number | undefined {
  for (let begin = tokens.length - part.length; begin >= 0; begin--) {
    if (part.every((token, index) => tokens[begin + index] === token)) return begin;
  }
  return undefined;
}

/** Two names of one content are one adapter, with the sum of their scales. */
function mergedById(applied: readonly AppliedAdapter[]): readonly AppliedAdapter[] {
  const scales = new Map<string, number>();
  for (const { id, scale } of applied) scales.set(id, (scales.get(id) ?? 0) + scale);
  return [...scales].map(([id, scale]) => ({ id, scale }));
}

/** One that is used with a scale other than 0. */
interface Chosen {
  readonly one: Held;
  readonly scale: number;
}

/** Adapters of a generation. */
export interface AdapterUse {
  readonly applied: readonly AppliedAdapter[];
  /** The token of its prompt that they apply from; absent: the first one. */
  readonly appliedFrom?: number;
  /** Its generation has ended. */
  release(): void;
}
