import { readFile, writeFile } from "node:fs/promises";
import {
  type Adapter,
  computePosition,
  createAdapterSet,
  createSegmentIdentity,
  type PromptIdentity,
  type PromptSegment,
} from "../../../src/engine/cache/prompt-identity.js";
import { SimulatedContext } from "./simulated-context.js";
import { encodedMedia, imageOf } from "./simulated-media.js";

/** Prompt with its adapters, as evaluated. */
export interface TracedPrompt {
  readonly adapters: readonly Adapter[];
  /** Cell from which the adapters apply; absent: the first one. */
  readonly from?: number | undefined;
  readonly segments: readonly PromptSegment[];
}

export function identityOf({ adapters, from, segments }: TracedPrompt): PromptIdentity {
  return createSegmentIdentity(segments, createAdapterSet(adapters, from));
}

/**
 * Origin of each cell of a prompt: the adapters, and everything before and in it. Equal exactly for
 * cells with the same keys and values, and computed without the cache's comparisons.
 */
export function originsOf({ adapters, from = 0, segments }: TracedPrompt): number[] {
  const applied = adapters.map(({ id, scale }) => `${id} ${scale}`).sort();
  let origin = numberOf("nothing");
  const origins: number[] = [];
  const add = (what: string) => {
    const under = origins.length < from ? "" : applied.join();
    origin = numberOf(`${origin} then ${what} under ${under}`);
    origins.push(origin);
  };
  for (const segment of segments) {
    if (segment.type === "tokens") for (const token of segment.tokens) add(`token ${token}`);
    else {
      const { hash, cells } = segment;
      for (let cell = 0; cell < cells; cell++) add(`cell ${cell} of ${cells} of ${hash}`);
    }
  }
  return origins;
}

const numbers = new Map<string, number>();
function numberOf(origin: string): number {
  const known = numbers.get(origin);
  if (known !== undefined) return known;
  numbers.set(origin, numbers.size);
  return numbers.size - 1;
}

/**
 * Simulated context that records the origins of its cells, and writes them to files with the
 * states. Evaluating a prompt after another prompt's cells throws.
 */
export class TracingContext extends SimulatedContext {
  /**
   * Origins by sequence and cell. In the split layout a copy moves them with the next batch, as in
   * llama.cpp.
   */
  readonly #origins: number[][] = Array.from({ length: this.sequences }, () => []);
  #copies: { readonly from: number; readonly to: number }[] = [];

  /** Evaluates the cells of a prompt from one to another one: tokens, or all cells of an image. */
  async compute(sequenceId: number, prompt: TracedPrompt, from: number, to: number): Promise<void> {
    const identity = identityOf(prompt);
    const tokens = identity.cells.slice(from, to);
    this.#carryOutCopies();
    this.#traceNext(sequenceId, prompt, from, to);
    const position = computePosition(identity, from);
    const image = identity.media.find(({ start }) => start === from);
    if (image === undefined) {
      await this.evaluate([{ sequenceId, position, tokens, logitsFrom: tokens.length }]);
    } else {
      const { hash, cells, positions } = image;
      const media = encodedMedia(imageOf(hash, cells, { positions }));
      await this.evaluateMedia({ sequenceId, position, media, from: 0, to: cells });
    }
  }

  #carryOutCopies(): void {
    for (const { from, to } of this.#copies) this.#origins[to] = [...this.#of(from)];
    this.#copies = [];
  }

  #traceNext(sequenceId: number, prompt: TracedPrompt, from: number, to: number): void {
    const own = originsOf(prompt);
    const held = this.#of(sequenceId);
    const wrong = own.findIndex((origin, cell) => cell < from && held[cell] !== origin);
    if (wrong >= 0) throw new Error(`cell ${wrong} of sequence ${sequenceId} is another prompt's`);
    held.splice(from, Number.POSITIVE_INFINITY, ...own.slice(from, to));
  }

  override async copy(from: number, to: number): Promise<void> {
    await super.copy(from, to);
    this.#copies.push({ from, to });
    if (this.layout.kind === "unified") {
      this.#origins[to] = [...this.#of(from)];
      this.#copies = [];
    }
  }

  override async save(
    sequenceId: number,
    tokens: readonly number[],
    path: string,
  ): Promise<number> {
    const bytes = await super.save(sequenceId, tokens, path);
    const origins = this.#of(sequenceId).slice(0, tokens.length);
    await writeFile(path, JSON.stringify({ cells: this.files.get(path), origins }));
    return bytes;
  }

  override async restore(sequenceId: number, path: string): Promise<readonly number[]> {
    const { cells, origins } = JSON.parse(await readFile(path, "utf8"));
    this.files.set(path, cells);
    const restored = await super.restore(sequenceId, path);
    this.#origins[sequenceId] = origins;
    return restored;
  }

  #of(sequenceId: number): number[] {
    const origins = this.#origins[sequenceId];
    if (origins === undefined) throw new RangeError(`there is no sequence ${sequenceId}`);
    return origins;
  }
}
