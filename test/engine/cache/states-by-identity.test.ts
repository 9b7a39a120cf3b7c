import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  type Adapter,
  type PromptSegment,
  serialisePrompt,
} from "../../../src/engine/cache/prompt-identity.js";
import { imageOf, segmentOf } from "../simulated/simulated-media.js";
import { identityOf, type TracedPrompt } from "../simulated/tracing-context.js";
import { type TracedPoolOptions, temporaryFolder, tracedPool } from "./traced-pool.js";

const tokens = (length: number, from = 0): PromptSegment => ({
  type: "tokens",
  tokens: Array.from({ length }, (_, index) => from + index),
});
const media = (hash: string, cells: number, positions = cells) =>
  segmentOf(imageOf(hash, cells, { positions }));
const prompt = (
  segments: readonly PromptSegment[],
  adapters: readonly Adapter[] = [],
  from?: number,
): TracedPrompt => ({ segments, adapters, from });

/** Too few tokens for a prompt to wait for, but enough to be copied and restored. */
const begin = tokens(50);
const rest = tokens(200, 500);
const unrelated = prompt([tokens(300, 2000)]);
const photo = media("photo", 12, 4);
const a = { id: "a", scale: 1 };
const b = { id: "b", scale: 1 };
const plain = [begin, rest];
const withPhoto = [begin, photo, rest];

interface Pair {
  readonly difference: string;
  readonly first: TracedPrompt;
  readonly second: TracedPrompt;
  /** Number of equal cells at the beginning of both prompts. */
  readonly shared: number;
}

const pairs: readonly Pair[] = [
  { difference: "an adapter", first: prompt(plain, [a]), second: prompt(plain), shared: 0 },
  { difference: "the adapter", first: prompt(plain, [a]), second: prompt(plain, [b]), shared: 0 },
  {
    difference: "a further adapter",
    first: prompt(plain, [a]),
    second: prompt(plain, [a, b]),
    shared: 0,
  },
  {
    difference: "an adapter's scale",
    first: prompt(plain, [a]),
    second: prompt(plain, [{ id: "a", scale: 0.5 }]),
    shared: 0,
  },
  {
    difference: "an adapter that applies later",
    first: prompt(plain, [a], 120),
    second: prompt(plain),
    shared: 120,
  },
  {
    difference: "the position from which an adapter applies",
    first: prompt(plain, [a], 120),
    second: prompt(plain, [a], 90),
    shared: 90,
  },
  {
    difference: "the later one of two adapters",
    first: prompt(plain, [a], 90),
    second: prompt(plain, [b], 120),
    shared: 90,
  },
  {
    difference: "an adapter that applies from the beginning",
    first: prompt(plain, [a], 120),
    second: prompt(plain, [a]),
    shared: 0,
  },
  {
    difference: "the content of media",
    first: prompt(withPhoto),
    second: prompt([begin, media("map", 12), rest]),
    shared: 50,
  },
  {
    difference: "the number of cells of media",
    first: prompt(withPhoto),
    second: prompt([begin, media("photo", 13), rest]),
    shared: 50,
  },
  {
    difference: "media at a later position",
    first: prompt(withPhoto),
    second: prompt([begin, tokens(2, 500), photo, tokens(198, 502)]),
    shared: 50,
  },
  {
    difference: "media at an earlier position",
    first: prompt(withPhoto),
    second: prompt([tokens(40), photo, tokens(10, 40), rest]),
    shared: 40,
  },
  {
    difference: "the order of media",
    first: prompt([begin, photo, media("map", 12), rest]),
    second: prompt([begin, media("map", 12), photo, rest]),
    shared: 50,
  },
  {
    difference: "media divided into two parts",
    first: prompt([begin, media("photo", 24), rest]),
    second: prompt([begin, photo, photo, rest]),
    shared: 50,
  },
  {
    difference: "tokens instead of media",
    first: prompt(withPhoto),
    second: prompt([begin, tokens(12, 900), rest]),
    shared: 50,
  },
];

/**
 * Leaves a state of the first prompt in one of several ways, and returns the length that the second
 * prompt reuses.
 */
interface Way {
  readonly way: string;
  readonly options?: TracedPoolOptions;
  readonly reused: (
    first: TracedPrompt,
    second: TracedPrompt,
    pool: Awaited<ReturnType<typeof tracedPool>>,
    options: TracedPoolOptions,
  ) => Promise<number>;
}

const unified = { kind: "unified", cells: 2000, positions: 2000 } as const;
const evict = async ({ pool, prefill }: Awaited<ReturnType<typeof tracedPool>>) =>
  pool.release((await prefill(unrelated)).lease);

const ways: readonly Way[] = [
  {
    way: "in its own sequence",
    options: { sequences: 1 },
    reused: async (first, second, { pool, prefill }) => {
      pool.release((await prefill(first)).lease);
      return (await prefill(second)).cachedTokens;
    },
  },
  {
    way: "by copy",
    reused: async (first, second, { prefill }) => {
      await prefill(first);
      return (await prefill(second)).cachedTokens;
    },
  },
  {
    way: "by copy, in the unified layout",
    options: { layout: unified },
    reused: async (first, second, { prefill }) => {
      await prefill(first);
      return (await prefill(second)).cachedTokens;
    },
  },
  {
    way: "from memory",
    options: { sequences: 1 },
    reused: async (first, second, parts) => {
      parts.pool.release((await parts.prefill(first)).lease);
      await evict(parts);
      return (await parts.prefill(second)).cachedTokens;
    },
  },
  {
    way: "from disk, in a later process",
    options: { sequences: 1 },
    reused: async (first, second, { pool, prefill, close }, options) => {
      pool.release((await prefill(first)).lease);
      await close();
      return (await (await tracedPool(options)).prefill(second)).cachedTokens;
    },
  },
  {
    way: "from a slot's file, in a later process",
    options: { sequences: 1 },
    reused: async (first, second, { pool, prefill, saveSlot }, options) => {
      pool.release((await prefill(first)).lease);
      await saveSlot(0, "one");
      const later = await tracedPool(options);
      await later.loadSlot(0, "one");
      return (await later.prefill(second, { slot: 0 })).cachedTokens;
    },
  },
  {
    way: "by waiting for each other",
    reused: async (first, second, { acquire, evaluate, pool }) => {
      const placed = await acquire(first);
      if (typeof placed === "string") throw new Error(placed);
      await evaluate(placed.lease, first, 1);
      const beside = await acquire(second);
      if (beside === "later") {
        await evaluate(placed.lease, first, Number.POSITIVE_INFINITY);
        const after = await acquire(second);
        if (typeof after === "string") throw new Error(after);
        return after.cachedTokens;
      }
      if (beside === "full") throw new Error(beside);
      pool.release(beside.lease);
      return 0;
    },
  },
  {
    way: "from a checkpoint",
    options: { sequences: 1, partialTruncation: "unsupported" },
    reused: async (first, second, parts) => {
      parts.pool.release((await parts.prefill(first)).lease);
      await evict(parts);
      return (await parts.prefill(second)).cachedTokens;
    },
  },
  {
    way: "from a checkpoint, in a later process",
    options: { sequences: 1, partialTruncation: "unsupported" },
    reused: async (first, second, { pool, prefill, close }, options) => {
      pool.release((await prefill(first)).lease);
      await close();
      return (await (await tracedPool(options)).prefill(second)).cachedTokens;
    },
  },
];

describe.each(ways)("a state shared $way", ({ options = {}, reused }) => {
  const share = async (first: TracedPrompt, second: TracedPrompt) => {
    const whole = { ...options, disk: temporaryFolder() };
    return reused(first, second, await tracedPool(whole), whole);
  };

  test.each([
    { what: "tokens", segments: plain, adapters: [] },
    { what: "media", segments: withPhoto, adapters: [] },
    { what: "adapters in another order", segments: withPhoto, adapters: [a, b] },
    { what: "adapter that applies from the same cell", segments: plain, adapters: [a], from: 70 },
  ])("is reused by prompts with the same $what", async ({ segments, adapters, from }) => {
    const first = prompt(segments, adapters, from);
    const second = prompt([...segments, tokens(30, 5000)], adapters.toReversed(), from);
    expect(await share(first, second)).toBeGreaterThanOrEqual(200);
  });

  test.each(pairs)(
    "is not reused beyond a difference in $difference",
    async ({ first, second, shared }) => {
      expect(await share(first, second)).toBeLessThanOrEqual(shared);
      expect(await share(second, first)).toBeLessThanOrEqual(shared);
    },
  );
});

describe.each(pairs)(
  "the cached prefix of prompts that differ in $difference",
  ({ first, second, shared }) => {
    test("ends at the difference", async () => {
      const { prefill } = await tracedPool();
      await prefill(first);
      expect((await prefill(second)).cachedTokens).toBe(shared);
    });
  },
);

describe("a saved state whose manifest has been changed", () => {
  test.each([
    { what: "no adapters", adapters: [] },
    { what: "another scale", adapters: [{ id: "a", scale: 2 }] },
    { what: "adapters that apply later", from: 50 },
    { what: "other media", hash: "map" },
  ])("is not restored: $what", async ({ adapters, from, hash }) => {
    const disk = temporaryFolder();
    const earlier = await tracedPool({ sequences: 1, disk });
    const whole = prompt(withPhoto, [a]);
    earlier.pool.release((await earlier.prefill(whole)).lease);
    await earlier.saveSlot(0, "one");
    await earlier.close();
    const changed = {
      adapters: adapters ?? whole.adapters,
      from,
      segments: hash === undefined ? whole.segments : [begin, media(hash, 12), rest],
    };
    const manifests = readdirSync(disk, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".json"))
      .map((name) => join(disk, name));
    expect(manifests).toHaveLength(2);
    for (const path of manifests) {
      const { checksum } = JSON.parse(readFileSync(path, "utf8"));
      writeFileSync(path, JSON.stringify({ ...serialisePrompt(identityOf(changed)), checksum }));
    }
    const later = await tracedPool({ sequences: 1, disk });
    await expect(later.loadSlot(0, "one")).rejects.toMatchObject({ code: "invalid_request" });
    expect((await later.prefill(changed)).cachedTokens).toBe(0);
  });
});

describe("cached media", () => {
  test("are evaluated again by a prompt that ends with them", async () => {
    const { pool, prefill } = await tracedPool({ sequences: 1 });
    pool.release((await prefill(prompt([begin, photo]))).lease);
    expect((await prefill(prompt([begin, photo]))).cachedTokens).toBe(50);
  });

  test("are not split at the block boundaries of the cached tokens reported to a key", async () => {
    const { pool, prefill } = await tracedPool({ sequences: 1 });
    const text = [tokens(60), media("film", 20)];
    const ask = async (owner: string, segments: readonly PromptSegment[]) => {
      const { lease, reportableTokens } = await prefill(prompt(segments), { owner });
      pool.release(lease);
      return reportableTokens;
    };
    await ask("alice", [...text, tokens(60, 500)]);
    await ask("bob", [...text, tokens(60, 700)]);
    expect(await ask("alice", [...text, tokens(60, 900)])).toBe(60);
  });

  test("are not split by a checkpoint", async () => {
    const parts = await tracedPool({ sequences: 1, partialTruncation: "unsupported" });
    const film = prompt([tokens(100), media("film", 90), tokens(8, 500)]);
    parts.pool.release((await parts.prefill(film)).lease);
    await evict(parts);
    const next = prompt([...film.segments.slice(0, 2), tokens(20, 700)]);
    expect((await parts.prefill(next)).cachedTokens).toBe(100);
  });

  test("are not split if one prompt waits for another", async () => {
    const { acquire, evaluate } = await tracedPool({ partialTruncation: "unsupported" });
    const film = [tokens(70), media("film", 60, 10), tokens(2, 300)];
    const first = prompt([...film, tokens(90, 500)]);
    const placed = await acquire(first);
    if (typeof placed === "string") throw new Error(placed);
    await evaluate(placed.lease, first, 1);
    expect(await acquire(prompt([...film, tokens(90, 700)]))).toBe("later");
    await evaluate(placed.lease, first, Number.POSITIVE_INFINITY);
    expect(await acquire(prompt([...film, tokens(90, 700)]))).toMatchObject({ cachedTokens: 70 });
  });
});
