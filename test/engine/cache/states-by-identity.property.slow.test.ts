import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptSegment } from "../../../src/engine/cache/prompt-identity.js";
import type { Lease } from "../../../src/engine/cache/sequence-records.js";
import { imageOf, segmentOf } from "../simulated/simulated-media.js";
import { originsOf, type TracedPrompt } from "../simulated/tracing-context.js";
import { type TracedPoolOptions, temporaryFolder, tracedPool } from "./traced-pool.js";

const run = (length: number, from = 0): PromptSegment => ({
  type: "tokens",
  tokens: Array.from({ length }, (_, index) => from + index),
});
const media = (hash: string, cells: number, positions = cells) =>
  segmentOf(imageOf(hash, cells, { positions }));

/** Few beginnings, so that most prompts share a beginning and many differ only in identity. */
const prompts: fc.Arbitrary<TracedPrompt> = fc
  .record({
    adapters: fc.constantFrom(
      [],
      [],
      [],
      [{ id: "a", scale: 1 }],
      [{ id: "a", scale: 0.5 }],
      [{ id: "b", scale: 1 }],
    ),
    from: fc.constantFrom(0, 0, 40, 90, 95),
    beginning: fc.constantFrom(
      [run(90)],
      [run(40), media("photo", 50, 8)],
      [run(40), media("map", 50)],
      [run(40), media("photo", 51)],
      [media("photo", 50, 8), run(40)],
      [run(90), media("photo", 50, 8)],
    ),
    middle: fc.constantFrom<PromptSegment[]>([], [run(70, 90)], [run(70, 90), media("map", 9, 3)]),
    end: fc.nat(4),
  })
  .map(({ adapters, from, beginning, middle, end }) => ({
    adapters,
    from,
    segments: [...beginning, ...middle, run(30, 1000 * (1 + end))],
  }));

const KINDS = [
  ...["go on", "decode", "draft", "end", "end", "end", "abandon", "quarantine"],
  ...["save slot", "load slot", "pack", "save ahead", "restart"],
] as const;
type Kind = (typeof KINDS)[number];

type Operation =
  | { readonly kind: "begin"; readonly prompt: TracedPrompt; readonly evaluated: number }
  | { readonly kind: Kind; readonly which: number };

const operations: fc.Arbitrary<Operation> = fc.oneof(
  fc.record({
    kind: fc.constant("begin" as const),
    prompt: prompts,
    evaluated: fc.constantFrom(1, 60, 1000),
  }),
  fc.record({ kind: fc.constantFrom(...KINDS), which: fc.nat(9) }),
);

interface Running {
  readonly lease: Lease;
  prompt: TracedPrompt;
}

/** Uses a pool like a step loop does. The context throws if a cell belongs to another prompt. */
class Generations {
  readonly #options: TracedPoolOptions;
  #parts: Awaited<ReturnType<typeof tracedPool>>;
  #running: Running[] = [];
  reusedTokens = 0;

  private constructor(options: TracedPoolOptions, parts: Awaited<ReturnType<typeof tracedPool>>) {
    this.#options = options;
    this.#parts = parts;
  }

  static async open(options: TracedPoolOptions): Promise<Generations> {
    return new Generations(options, await tracedPool(options));
  }

  async carryOut(operation: Operation): Promise<void> {
    if (operation.kind === "begin") {
      await this.#begin(operation.prompt, operation.evaluated);
      return;
    }
    const { kind, which } = operation;
    const one = this.#running[which % Math.max(1, this.#running.length)];
    const slot = which % this.#parts.context.sequences;
    if (kind === "restart") await this.restart();
    else if (kind === "pack") await this.#pack();
    else if (kind === "save slot" || kind === "load slot") await this.#command(kind, slot);
    else if (kind === "save ahead") await this.#saveAhead();
    else if (one === undefined) return;
    else if (kind === "go on") await this.#evaluate(one);
    else if (kind === "decode") await this.#decode(one, [11]);
    else if (kind === "draft") await this.#draft(one);
    else this.#end(one, kind === "end" ? "release" : kind);
  }

  /** Starts another process with the states left on disk by the last one. */
  async restart(): Promise<void> {
    for (const one of this.#running) this.#end(one, "release");
    await this.#parts.close();
    this.#parts = await tracedPool(this.#options);
  }

  async #begin(prompt: TracedPrompt, evaluated: number): Promise<void> {
    const [oldest] = this.#running;
    const isFull = this.#running.length === this.#parts.context.sequences;
    if (oldest !== undefined && isFull) this.#end(oldest, "release");
    const placed = await this.#parts.acquire(prompt, { owner: "alice" });
    if (typeof placed === "string") return;
    const { lease, cachedTokens } = placed;
    this.reusedTokens += cachedTokens;
    this.#running.push({ lease, prompt });
    await this.#parts.evaluate(lease, prompt, cachedTokens + evaluated);
  }

  #evaluate({ lease, prompt }: Running): Promise<void> {
    return this.#parts.evaluate(lease, prompt, Number.POSITIVE_INFINITY);
  }

  async #decode(one: Running, tokens: readonly number[]): Promise<void> {
    await this.#evaluate(one);
    const { segments, ...under } = one.prompt;
    one.prompt = { ...under, segments: [...segments, { type: "tokens", tokens }] };
    await this.#evaluate(one);
  }

  async #draft(one: Running): Promise<void> {
    await this.#evaluate(one);
    const { pool } = this.#parts;
    if (!pool.isReadyForDrafts) return;
    const before = one.prompt;
    await pool.prepareForDraft(one.lease);
    await this.#decode(one, [11, 12, 13]);
    await pool.keep(one.lease, originsOf(before).length + 1);
    one.prompt = { ...before, segments: [...before.segments, { type: "tokens", tokens: [11] }] };
  }

  #end(one: Running, how: "release" | "abandon" | "quarantine"): void {
    this.#running = this.#running.filter((other) => other !== one);
    this.#parts.pool[how](one.lease);
  }

  async #pack(): Promise<void> {
    for (let step = 0; step < 4; step++) await this.#parts.pool.pack();
    for (const one of this.#running) await this.#decode(one, [7]);
  }

  async #saveAhead(): Promise<void> {
    if (this.#running.length === 0) await this.#parts.pool.saveAhead();
  }

  async #command(kind: "save slot" | "load slot", slot: number): Promise<void> {
    const { pool, loadSlot, saveSlot } = this.#parts;
    if (pool.slotStates.useOf(slot) !== "at-rest") return;
    if (kind === "load slot") await loadSlot(slot, "one").catch(expectRefusal);
    else if (pool.slotStates.contentsOf(slot).cells.length > 0) {
      await saveSlot(slot, "one").catch(expectRefusal);
    }
  }
}

/** The slot has no space, or the name has no saved state. */
function expectRefusal(error: unknown): void {
  expect(error).toHaveProperty("code", expect.stringMatching(/^(not_found|server_overloaded)$/));
}

describe.each<{ readonly name: string; readonly options: TracedPoolOptions }>([
  { name: "in the split layout", options: {} },
  { name: "in the unified layout", options: { layout: { kind: "unified", cells: 900 } } },
  { name: "with checkpoints", options: { partialTruncation: "unsupported" } },
])("cells reused by a prompt $name", ({ options }) => {
  test("were computed under the same identity", async () => {
    let reusedTokens = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(operations, { minLength: 20, maxLength: 40 }),
        fc.constantFrom(400, 2000),
        async (list, maxBytes) => {
          const parts = { ...options, sequences: 3, maxBytes, disk: temporaryFolder() };
          const generations = await Generations.open(parts);
          for (const operation of list) await generations.carryOut(operation);
          await generations.restart();
          reusedTokens += generations.reusedTokens;
        },
      ),
      { numRuns: 25 },
    );
    // Cells were actually reused.
    expect(reusedTokens).toBeGreaterThan(300);
  });
});
