import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { PlacedMedia } from "../../../src/core/media.js";
import type { PromptSegment } from "../../../src/engine/cache/prompt-identity.js";
import {
  type AcquireOptions,
  type PlacedPrompt,
  SequencePool,
} from "../../../src/engine/cache/sequence-pool.js";
import type { Lease } from "../../../src/engine/cache/sequence-records.js";
import { SlotFiles } from "../../../src/engine/cache/slot-files.js";
import { StateStore } from "../../../src/engine/cache/state-store.js";
import type { SimulationOptions } from "../simulated/simulated-context.js";
import { alphabetModel } from "../simulated/simulated-engine.js";
import { identityOf, type TracedPrompt, TracingContext } from "../simulated/tracing-context.js";

export interface TracedPoolOptions
  extends Partial<Pick<SimulationOptions, "sequences" | "layout" | "partialTruncation">> {
  /** Folder in which states outlive the pool; none by default. */
  readonly disk?: string;
  /** Capacity of each tier for states, in cells. */
  readonly maxBytes?: number;
}

/** A folder that is deleted after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function withoutStart({ hash, cells, positions }: PlacedMedia) {
  return { hash, cells, positions };
}

/** Pool over a {@link TracingContext}, with a store for states in a separate folder. */
export async function tracedPool({
  sequences = 2,
  layout,
  partialTruncation,
  disk,
  maxBytes = 4000,
}: TracedPoolOptions = {}) {
  const context = new TracingContext({
    sequences,
    layout,
    partialTruncation,
    batchSize: 4096,
    next: alphabetModel,
  });
  const common = { context, maxBytes: maxBytes, onWarning: () => undefined };
  const retention = { kind: "permanent", identity: "a model" } as const;
  const next =
    disk === undefined
      ? undefined
      : await StateStore.open({ ...common, folder: join(disk, "states"), retention });
  const session = { kind: "session" } as const;
  const store = await StateStore.open({
    ...common,
    folder: temporaryFolder(),
    retention: session,
    next,
  });
  const pool = new SequencePool({
    context,
    store,
    msPerPrefillToken: () => undefined,
    now: () => 0,
  });
  const files = await SlotFiles.open(
    join(disk ?? temporaryFolder(), "slots"),
    async () => "a model",
  );

  /** Evaluates a prompt from the held cells to at least a length, without splitting media. */
  const evaluate = async (lease: Lease, prompt: TracedPrompt, length: number) => {
    const { cells, media } = identityOf(prompt);
    for (;;) {
      const from = lease.contents.cells.length;
      if (from >= Math.min(length, cells.length)) break;
      const image = media.find(({ start }) => start === from);
      const nextImage = media.find(({ start }) => start > from)?.start ?? cells.length;
      const checkpoint = from + pool.tokensToCheckpoint(lease);
      const to = image === undefined ? Math.min(length, nextImage, checkpoint) : from + image.cells;
      await context.compute(lease.sequenceId, prompt, from, to);
      const segment: PromptSegment =
        image === undefined
          ? { type: "tokens", tokens: cells.slice(from, to) }
          : { type: "media", ...withoutStart(image) };
      pool.append(lease, segment);
      await pool.saveCheckpoint(lease);
    }
    if (lease.contents.cells.length >= cells.length) pool.endPrefill(lease);
  };
  /** Leases a sequence for a prompt, if there is one for it now. */
  const acquire = (prompt: TracedPrompt, options: AcquireOptions = {}) => {
    const identity = identityOf(prompt);
    return pool.acquire(identity, identity.cells.length + 50, options);
  };
  /** The same, and evaluates the prompt. */
  const prefill = async (
    prompt: TracedPrompt,
    options: AcquireOptions = {},
  ): Promise<PlacedPrompt> => {
    const placed = await acquire(prompt, options);
    if (typeof placed === "string") throw new Error(placed);
    await evaluate(placed.lease, prompt, Number.POSITIVE_INFINITY);
    return placed;
  };
  /** Saves held and unfinished prompts, as at the end of a process. */
  const close = async () => {
    await pool.saveAll();
    await store.close();
  };
  const saveSlot = (slot: number, name: string) =>
    files.save(name, pool.slotStates.contentsOf(slot), (path) => pool.slotStates.write(slot, path));
  const loadSlot = async (slot: number, name: string) =>
    pool.slotStates.load(slot, await files.find(name));
  return { context, pool, store, evaluate, acquire, prefill, close, saveSlot, loadSlot };
}
