import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { attachCompanion } from "../../../src/engine/native/companion/attach-companion.js";
import type { ContextParams } from "../../../src/engine/native/companion/native-companion.js";
import {
  withContextParams,
  withModelParams,
} from "../../../src/engine/native/companion/native-params.js";
import { NativeContext } from "../../../src/engine/native/native-context.js";
import type { StateDrafting } from "../../../src/engine/native/state-drafts.js";
import type { CacheLayout } from "../../../src/engine/native/token-context.js";
import { greedySampling } from "../../../src/engine/sampling/sampling-options.js";
import {
  type DraftingWeights,
  type MtpModelOptions,
  successorOf,
  writeEagle3Head,
  writeMtpModel,
  writeTargetModel,
} from "../../support/drafting-models.js";
import { eventually } from "../../support/eventually.js";
import { nativeLibrary } from "../../support/native-library.js";

let llama: Llama;
let folder: string;
beforeAll(async () => {
  llama = await nativeLibrary();
  folder = mkdtempSync(join(tmpdir(), "ggufd-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const sizes = { sequences: 4, contextSize: 256, batchSize: 64 };

/** Drafting method: the layers of a model of this architecture, or a draft head. */
type Kind = MtpModelOptions["architecture"] | "eagle3";

interface Opened {
  readonly kind: Kind;
  readonly drafting: DraftingWeights;
}

async function load(modelPath: string): Promise<LlamaModel> {
  const model = await withModelParams({ mtpLayers: true }, () => llama.loadModel({ modelPath }));
  onTestFinished(() => model.dispose());
  return model;
}

async function createContext(model: LlamaModel, params: ContextParams): Promise<LlamaContext> {
  const context = await withContextParams({ microBatchTokens: 16, maxOutputs: 64, ...params }, () =>
    model.createContext(sizes),
  );
  onTestFinished(() => context.dispose());
  return context;
}

async function open(
  { kind, drafting }: Opened,
  layout: CacheLayout["kind"] = "split",
): Promise<NativeContext> {
  const companion = await attachCompanion(llama, process.env.GGUFD_TEST_COMPANION);
  const kvUnified = layout === "unified";
  const isHead = kind === "eagle3";
  const model = await load(
    isHead ? writeTargetModel(folder) : writeMtpModel(folder, { architecture: kind, drafting }),
  );
  const head = isHead ? await load(writeEagle3Head(folder, { drafting })) : model;
  const context = await createContext(model, { kvUnified, abortable: true });
  const target = (context as unknown as { readonly _ctx: object })._ctx;
  const draftContext = await createContext(
    head,
    isHead ? { kvUnified, target } : { kvUnified, mtpLayers: true },
  );
  const follower: StateDrafting = isHead
    ? { kind: "eagle3", context: draftContext, targetLayers: [0, 1, 2] }
    : { kind: "mtp", context: draftContext, layers: kind === "mimo2" ? 2 : 1 };
  const cache = { layout, streamBytes: 0 };
  const native = new NativeContext(context, cache, companion, { drafting: follower });
  onTestFinished(() => native.close());
  addons.set(native, (context as unknown as { readonly _ctx: AddonContext })._ctx);
  return native;
}

interface AddonContext {
  getSequenceKvCacheMaxPosition(sequenceId: number): number;
}
const addons = new WeakMap<NativeContext, AddonContext>();

const lastPosition = (native: NativeContext) =>
  addons.get(native)?.getSequenceKvCacheMaxPosition(0);

/** Tokens that the model generates after a given token. */
function following(token: number, count: number): number[] {
  const tokens = [token];
  while (tokens.length <= count) tokens.push(successorOf(tokens.at(-1) ?? 0));
  return tokens.slice(1);
}

/** A text of non-consecutive tokens. */
const textOf = (seed: number, length: number) =>
  Array.from({ length }, (_, index) => (seed * 37 + index * index * 7 + 3) % 300);

type Part = readonly [sequenceId: number, position: number, tokens: readonly number[]];

/** @param outputs tokens of each part with logits */
async function evaluate(native: NativeContext, parts: readonly Part[], outputs = 1): Promise<void> {
  await native.evaluate(
    parts.map(([sequenceId, position, tokens]) => ({
      sequenceId,
      position,
      tokens,
      logitsFrom: Math.max(0, tokens.length - outputs),
    })),
  );
}

/** Proposals after each text, whose last token has not been evaluated. */
async function proposals(
  native: NativeContext,
  texts: readonly (readonly [sequenceId: number, tokens: readonly number[]])[],
  length = 4,
): Promise<readonly (readonly number[] | undefined)[]> {
  const asked = texts.map(([sequenceId, tokens]) => ({ sequenceId, tokens }));
  const drafts = await native.stateDrafts?.propose(asked, length);
  return texts.map(([sequenceId]) => drafts?.get(sequenceId));
}

/** The text followed by the token that the model generates. */
const withNext = (text: readonly number[]) => [...text, successorOf(text.at(-1) ?? 0)];
const generatedBehind = (text: readonly number[], length = 4) =>
  following(text.at(-1) ?? 0, length);

const kinds = [
  ["glm4moe", "split"],
  ["glm4moe", "unified"],
  ["qwen35", "split"],
  ["mimo2", "split"],
  ["eagle3", "split"],
  ["eagle3", "unified"],
] as const;

describe.each(kinds)("drafting from hidden states (%s, %s)", (kind, layout) => {
  const exact = { kind, drafting: "exact" } as const;
  /** Layers that each propose the token of one step cannot propose more. */
  const most = kind === "mimo2" ? 2 : Number.POSITIVE_INFINITY;
  const expected = (text: readonly number[], length = 4) =>
    generatedBehind(text, Math.min(length, most));

  it("proposes the tokens that the model generates", async () => {
    const native = await open(exact, layout);
    let text = textOf(1, 20);
    await evaluate(native, [[0, 0, text]]);
    for (let round = 0; round < 12; round++) {
      const longer = withNext(text);
      const length = 1 + (round % 7);
      expect(await proposals(native, [[0, longer]], length)).toEqual([expected(longer, length)]);
      await evaluate(native, [[0, text.length, longer.slice(text.length)]]);
      text = longer;
    }
  });

  it("supports sequences of different lengths in one batch, for any rows with logits", async () => {
    const native = await open(exact, layout);
    const texts = [textOf(1, 23), textOf(2, 2), textOf(3, 19), textOf(4, 1)];
    const parts = texts.map((text, sequence): Part => [sequence, 0, text]);
    await evaluate(native, parts, 5);
    const longer = texts.map(withNext);
    const asked = longer.map((text, sequence) => [sequence, text] as const);
    const drafts = longer.map((text) => expected(text, 6));
    expect(await proposals(native, asked, 6)).toEqual(drafts);
    // The sequences differ in their number of new tokens, and one is not adjacent to the others.
    const more = [0, 1, 3].map((sequence) => [
      ...(texts[sequence] ?? []),
      ...textOf(7 + sequence, 1 + 3 * sequence),
    ]);
    const further = more.map((text, index): Part => {
      const begin = texts[[0, 1, 3][index] ?? 0]?.length ?? 0;
      return [[0, 1, 3][index] ?? 0, begin, text.slice(begin)];
    });
    await evaluate(native, further, 3);
    const all = [...more.map(withNext), longer[2] ?? []];
    const sequences = [0, 1, 3, 2];
    expect(
      await proposals(
        native,
        all.map((text, index) => [sequences[index] ?? 0, text]),
      ),
    ).toEqual(all.map((text) => expected(text)));
  });

  it("supports a prompt that spans many batches", async () => {
    const native = await open(exact, layout);
    const text = textOf(5, 230);
    for (let begin = 0; begin < text.length; begin += 61) {
      await evaluate(native, [[2, begin, text.slice(begin, begin + 61)]]);
    }
    const longer = withNext(text);
    expect(await proposals(native, [[2, longer]])).toEqual([expected(longer)]);
  });

  it("continues after rejected tokens", async () => {
    const native = await open(exact, layout);
    const text = textOf(1, 20);
    await evaluate(native, [[0, 0, text]]);
    const mark = native.retraction === "rewind" ? await native.mark(0) : undefined;
    const next = withNext(text);
    // The third token differs from the proposal.
    const accepted = [...next, successorOf(next.at(-1) ?? 0)];
    await evaluate(native, [[0, text.length, [...accepted.slice(text.length), 200, 201, 202]]], 5);
    if (mark === undefined) native.truncate(0, accepted.length);
    else await mark.rewind();
    mark?.dispose();
    const longer = withNext(accepted);
    expect(await proposals(native, [[0, longer]])).toEqual([expected(longer)]);
    const begin = mark === undefined ? accepted.length : text.length;
    await evaluate(native, [[0, begin, longer.slice(begin)]]);
    expect(await proposals(native, [[0, withNext(longer)]])).toEqual([expected(withNext(longer))]);
  });

  it("proposes the same tokens for a copied sequence as for the original", async () => {
    const native = await open(exact, layout);
    const text = textOf(1, 90);
    await evaluate(native, [[0, 0, text.slice(0, 60)]]);
    await evaluate(native, [[0, 60, text.slice(60)]]);
    await native.copy(0, 3);
    expect(await proposals(native, [[3, withNext(text)]])).toEqual([expected(withNext(text))]);
    await evaluate(native, [
      [0, 90, [7]],
      [3, 90, [9]],
    ]);
    const texts = [withNext([...text, 7]), withNext([...text, 9])];
    expect(
      await proposals(native, [
        [0, texts[0] ?? []],
        [3, texts[1] ?? []],
      ]),
    ).toEqual(texts.map((one) => expected(one)));
  });

  it("proposes nothing for a sequence evaluated without the drafter until the sequence continues", async () => {
    const native = await open(exact, layout);
    const path = join(folder, `state.${kind}.${layout}`);
    const text = textOf(1, 40);
    await evaluate(native, [[1, 0, text]]);
    await native.save(1, text, path);
    // Even the states of equal tokens belong to another text.
    await evaluate(native, [[0, 0, text]]);
    await native.restore(0, path);
    expect(await proposals(native, [[0, withNext(text)]])).toEqual([[]]);
    await evaluate(native, [[0, 40, [5]]]);
    const longer = withNext([...text, 5]);
    expect(await proposals(native, [[0, longer]])).toEqual([expected(longer)]);
  });

  it("resets its state when all cells are cleared", async () => {
    const native = await open(exact, layout);
    await evaluate(native, [[0, 0, textOf(1, 40)]]);
    native.clear();
    expect(await proposals(native, [[0, withNext(textOf(1, 40))]])).toEqual([[]]);
    await evaluate(native, [[0, 0, textOf(2, 12)]]);
    const longer = withNext(textOf(2, 12));
    expect(await proposals(native, [[0, longer]])).toEqual([expected(longer)]);
  });

  it("proposes no more tokens than the context can hold", async () => {
    const native = await open(exact, layout);
    const parts = [0, 1, 2, 3].map((sequence): Part => [sequence, 0, textOf(sequence, 254)]);
    for (const [sequence, , text] of parts) {
      for (let begin = 0; begin < text.length; begin += 60) {
        await evaluate(native, [[sequence, begin, text.slice(begin, begin + 60)]]);
      }
    }
    const asked = parts.map(([sequence, , text]) => [sequence, withNext(text)] as const);
    const proposed = await proposals(native, asked, 8);
    for (const [index, [, text]] of asked.entries()) {
      const all = expected(text, 8);
      const drafted = proposed[index] ?? [];
      expect(drafted).toEqual(all.slice(0, drafted.length));
      expect(drafted.length).toBeGreaterThan(0);
    }
    // Texts dropped for lack of space are tracked again.
    native.truncate(2, 0);
    await evaluate(native, [[2, 0, textOf(5, 30)]]);
    const longer = withNext(textOf(5, 30));
    expect(await proposals(native, [[2, longer]])).toEqual([expected(longer)]);
  });

  it("proposes tokens even with random weights", async () => {
    const native = await open({ kind, drafting: "noise" }, layout);
    await evaluate(native, [[0, 0, textOf(1, 20)]]);
    const longer = withNext(textOf(1, 20));
    const [drafted] = await proposals(native, [[0, longer]]);
    expect(drafted).toHaveLength(Math.min(4, most));
    expect(drafted).not.toEqual(expected(longer));
  });
});

describe("a sequence that is truncated beyond the retained states", () => {
  it("gets proposals again when it continues", async () => {
    const native = await open({ kind: "glm4moe", drafting: "exact" });
    const text = textOf(1, 200);
    for (let begin = 0; begin < 200; begin += 50) {
      await evaluate(native, [[0, begin, text.slice(begin, begin + 50)]]);
    }
    native.truncate(0, 60);
    const other = [...text.slice(0, 60), 11, 12];
    await evaluate(native, [[0, 60, [11, 12]]]);
    const longer = withNext(other);
    expect(await proposals(native, [[0, longer]])).toEqual([generatedBehind(longer)]);
  });
});

describe.each(["glm4moe", "eagle3"] as const)(
  "a draft step that was started in advance (%s)",
  (kind) => {
    /** Samples the token after a text and waits until the next step has started with it. */
    async function beginAhead(native: NativeContext, text: readonly number[]): Promise<void> {
      const sampler = native.createSampler({
        options: greedySampling,
        promptTokens: text,
        generated: [],
      });
      onTestFinished(() => sampler.dispose());
      const draws = { sampler, replayedTokens: [], mayFollow: true };
      const part = { sequenceId: 0, position: 0, tokens: text, logitsFrom: text.length - 1, draws };
      await native.evaluate([part], "alike");
      await eventually(() => expect(lastPosition(native)).toBe(text.length));
    }

    it("is rolled back, including its retained states, before tokens are proposed", async () => {
      const native = await open({ kind, drafting: "exact" });
      const text = textOf(1, 20);
      await beginAhead(native, text);
      const longer = withNext(text);
      expect(await proposals(native, [[0, longer]])).toEqual([generatedBehind(longer)]);
      expect(lastPosition(native)).toBe(text.length - 1);
      // A token other than the sampled one.
      const other = [...text, (longer.at(-1) ?? 0) + 1];
      await evaluate(native, [[0, text.length, other.slice(-1)]]);
      expect(await proposals(native, [[0, withNext(other)]])).toEqual([
        generatedBehind(withNext(other)),
      ]);
    });

    it("is reused when the sequence continues", async () => {
      const native = await open({ kind, drafting: "exact" });
      const text = textOf(1, 20);
      await beginAhead(native, text);
      const longer = withNext(text);
      await evaluate(native, [[0, text.length, longer.slice(-1)]]);
      expect(await proposals(native, [[0, withNext(longer)]])).toEqual([
        generatedBehind(withNext(longer)),
      ]);
    });
  },
);
