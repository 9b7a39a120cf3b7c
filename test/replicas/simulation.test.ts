import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../src/core/generation-request.js";
import { updateAverage } from "../../src/core/moving-average.js";
import { CachedPrefixes } from "../../src/replicas/cached-prefixes.js";
import { chooseReplica, type ReplicaLoad } from "../../src/replicas/choose-replica.js";
import { BLOCK_CHARACTERS, hashPrompt } from "../../src/replicas/prompt-hashes.js";

/** Tokens of a block; a token has four characters. */
const BLOCK_TOKENS = BLOCK_CHARACTERS / 4;
const HOUR_MS = 3_600_000;
/** Time in which the whole machine evaluates a token of a prompt; a replica has an equal share. */
const PREFILL_MS = 0.25;
/** Time of a decoding step, and the part that the whole machine takes for each generation. */
const STEP_MS = 10;
const STEP_MS_PER_GENERATION = 0.75;
const ANSWER_TOKENS = 100;
/** Time between an answer and the next question. */
const THINKING_MS = 20_000;
const RESTART_MS = 5000;

/** A generator of pseudorandom numbers from 0 to 1 (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Callbacks in virtual time. */
class Clock {
  now = 0;
  readonly #events: { readonly at: number; readonly run: () => void }[] = [];

  after(delayMs: number, run: () => void): void {
    const at = this.now + delayMs;
    const later = this.#events.findIndex((event) => event.at > at);
    this.#events.splice(later === -1 ? this.#events.length : later, 0, { at, run });
  }

  runAll(): void {
    for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) {
      this.now = event.at;
      event.run();
    }
  }
}

/** An engine's cache: whole sequences, of which the least recently used ones are evicted. */
class TrueCache {
  readonly #capacityTokens: number;
  #sequences: (readonly number[])[] = [];

  constructor(capacityTokens: number) {
    this.#capacityTokens = capacityTokens;
  }

  /** Returns the number of tokens of the longest cached beginning. */
  findCached(hashes: readonly number[]): number {
    return Math.max(0, ...this.#sequences.map((one) => countCommon(one, hashes))) * BLOCK_TOKENS;
  }

  add(hashes: readonly number[]): void {
    const others = this.#sequences.filter((one) => countCommon(one, hashes) < one.length);
    this.#sequences = [hashes, ...others];
    let tokens = 0;
    this.#sequences = this.#sequences.filter(({ length }) => {
      tokens += length * BLOCK_TOKENS;
      return tokens <= this.#capacityTokens;
    });
  }

  clear(): void {
    this.#sequences = [];
  }
}

function countCommon(one: readonly number[], other: readonly number[]): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index++;
  return index;
}

interface Job {
  readonly hashes: readonly number[];
  readonly promptTokens: number;
  readonly submittedMs: number;
  /** Called with the hashes that the replica has cached afterwards. */
  readonly onEnd: () => void;
}

interface SimulatedReplica {
  readonly index: number;
  readonly cache: TrueCache;
  readonly record: CachedPrefixes;
  isRunning: boolean;
  crashes: number;
  running: Job[];
  waiting: Job[];
  pendingTokens: number;
  prefillEndMs: number;
  serviceMs: number | undefined;
  lastUsed: number;
}

interface Setup {
  readonly replicas: number;
  /** Slots of all replicas together. */
  readonly slots: number;
  /** Tokens that all replicas together can cache. */
  readonly cacheTokens: number;
  readonly routing: "chosen" | "random";
  /** Mean time between two crashes of any replica; absent: none crashes. */
  readonly crashEveryMs?: number;
  readonly seed: number;
}

/** An hour of conversations, of which many begin with one of 20 system prompts. */
class Simulation {
  readonly #setup: Setup;
  readonly #random: () => number;
  readonly #clock = new Clock();
  readonly #replicas: readonly SimulatedReplica[];
  readonly #slotsOfOne: number;
  readonly #msPerPromptToken: number;
  #queue: Job[] = [];
  #placements = 0;
  answers = 0;
  questions = 0;
  promptTokens = 0;
  cachedTokens = 0;
  longestWaitMs = 0;
  crashes = 0;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#random = seededRandom(setup.seed);
    this.#slotsOfOne = setup.slots / setup.replicas;
    this.#msPerPromptToken = PREFILL_MS * setup.replicas;
    const capacity = setup.cacheTokens / setup.replicas;
    this.#replicas = Array.from({ length: setup.replicas }, (_, index) => ({
      index,
      cache: new TrueCache(capacity),
      record: new CachedPrefixes(() => capacity),
      isRunning: true,
      crashes: 0,
      running: [],
      waiting: [],
      pendingTokens: 0,
      prefillEndMs: 0,
      serviceMs: undefined,
      lastUsed: 0,
    }));
  }

  get hitRate(): number {
    return this.cachedTokens / this.promptTokens;
  }

  run(): this {
    this.#arrive(0);
    if (this.#setup.crashEveryMs !== undefined) this.#crashLater(this.#setup.crashEveryMs);
    this.#clock.runAll();
    return this;
  }

  #exponential(meanMs: number): number {
    return -Math.log(1 - this.#random()) * meanMs;
  }

  #arrive(number: number): void {
    this.#clock.after(this.#exponential(1500), () => {
      if (this.#clock.now > HOUR_MS) return;
      const shared = Math.floor(this.#random() * 20);
      const turns = 1 + Math.floor(this.#random() * 8);
      this.#converse([{ role: "system", content: `${shared} instructions `.repeat(30) }], {
        number,
        turns,
      });
      this.#arrive(number + 1);
    });
  }

  #converse(
    messages: readonly ChatMessage[],
    { number, turns }: { readonly number: number; readonly turns: number },
  ): void {
    if (turns === 0) return;
    const question = `${number} asks ${turns} `.repeat(40);
    const asked: ChatMessage[] = [...messages, { role: "user", content: question }];
    const { complete } = hashPrompt({
      prompt: { type: "chat", messages: asked, tools: [], templateVariables: {} },
    });
    this.questions++;
    this.#queue.push({
      hashes: complete,
      promptTokens: complete.length * BLOCK_TOKENS,
      submittedMs: this.#clock.now,
      onEnd: () => {
        this.answers++;
        const answer = `${number} answers ${turns} `.repeat(40);
        const next: ChatMessage[] = [...asked, { role: "assistant", content: answer }];
        this.#clock.after(this.#exponential(THINKING_MS), () =>
          this.#converse(next, { number, turns: turns - 1 }),
        );
      },
    });
    this.#startQueued();
  }

  /** Starts as many generations as there are free slots in any replica. */
  #startQueued(): void {
    const isFree = ({ isRunning, running }: SimulatedReplica) =>
      isRunning && running.length < this.#slotsOfOne;
    while (this.#queue.length > 0 && this.#replicas.some(isFree)) {
      const job = this.#queue.shift();
      if (job !== undefined) this.#place(job);
    }
  }

  #place(job: Job): void {
    const replica = this.#choose(job);
    replica.lastUsed = ++this.#placements;
    replica.record.add(job.hashes, BLOCK_TOKENS);
    replica.waiting.push(job);
    this.#startWaiting(replica);
  }

  #choose(job: Job): SimulatedReplica {
    const index =
      this.#setup.routing === "random"
        ? this.#chooseAtRandom()
        : chooseReplica(
            job.promptTokens,
            this.#replicas.map((replica) => this.#describeLoad(replica, job)),
          );
    const replica = index === undefined ? undefined : this.#replicas[index];
    assert(replica?.isRunning, "expected a running replica");
    return replica;
  }

  #chooseAtRandom(): number | undefined {
    const free = this.#replicas.filter(
      ({ isRunning, running }) => isRunning && running.length < this.#slotsOfOne,
    );
    return free[Math.floor(this.#random() * free.length)]?.index;
  }

  #describeLoad(replica: SimulatedReplica, { hashes, promptTokens }: Job): ReplicaLoad {
    const { index, isRunning, running, waiting, pendingTokens, serviceMs, lastUsed } = replica;
    const cachedTokens = replica.record.countCached(hashes) * BLOCK_TOKENS;
    return {
      ...{ index, pendingTokens, serviceMs, lastUsed },
      availability: isRunning ? "open" : "down",
      suitability: "suited",
      slots: this.#slotsOfOne,
      generations: running.length + waiting.length,
      cachedTokens: Math.min(cachedTokens, promptTokens - 1),
      msPerPromptToken: this.#msPerPromptToken,
    };
  }

  #startWaiting(replica: SimulatedReplica): void {
    while (replica.isRunning && replica.running.length < this.#slotsOfOne) {
      const job = replica.waiting.shift();
      if (job === undefined) return;
      this.#start(replica, job);
    }
  }

  #start(replica: SimulatedReplica, job: Job): void {
    const { now } = this.#clock;
    const { hashes, promptTokens } = job;
    this.longestWaitMs = Math.max(this.longestWaitMs, now - job.submittedMs);
    const cachedTokens = replica.cache.findCached(hashes);
    this.promptTokens += promptTokens;
    this.cachedTokens += cachedTokens;
    replica.cache.add(hashes);
    replica.running.push(job);
    const evaluatedTokens = promptTokens - cachedTokens;
    replica.pendingTokens += evaluatedTokens;
    replica.prefillEndMs =
      Math.max(now, replica.prefillEndMs) + evaluatedTokens * this.#msPerPromptToken;
    const stepMs = STEP_MS + STEP_MS_PER_GENERATION * this.#setup.replicas * replica.running.length;
    const { crashes } = replica;
    this.#clock.after(replica.prefillEndMs - now, () => {
      if (replica.crashes === crashes) replica.pendingTokens -= evaluatedTokens;
    });
    this.#clock.after(replica.prefillEndMs - now + ANSWER_TOKENS * stepMs, () => {
      if (replica.crashes !== crashes) return;
      replica.running = replica.running.filter((other) => other !== job);
      replica.serviceMs = updateAverage(replica.serviceMs, this.#clock.now - now, 0.1);
      replica.record.add(hashes, BLOCK_TOKENS);
      job.onEnd();
      this.#startWaiting(replica);
      this.#startQueued();
    });
  }

  #crashLater(meanMs: number): void {
    this.#clock.after(this.#exponential(meanMs), () => {
      if (this.#clock.now > HOUR_MS) return;
      const replica = this.#replicas[Math.floor(this.#random() * this.#replicas.length)];
      const others = this.#replicas.filter((one) => one !== replica && one.isRunning);
      if (replica?.isRunning === true && others.length > 0) this.#crash(replica);
      this.#crashLater(meanMs);
    });
  }

  #crash(replica: SimulatedReplica): void {
    const failed = [...replica.running, ...replica.waiting];
    this.crashes++;
    Object.assign(replica, { isRunning: false, crashes: replica.crashes + 1, pendingTokens: 0 });
    Object.assign(replica, { running: [], waiting: [], prefillEndMs: 0 });
    replica.cache.clear();
    replica.record.clear();
    this.#clock.after(RESTART_MS, () => {
      replica.isRunning = true;
      this.#startQueued();
    });
    for (const job of failed) this.#placeAgain(job);
  }

  /** Generations of a crashed replica keep their slots in the queue. */
  #placeAgain(job: Job): void {
    if (this.#setup.routing === "chosen") this.#place(job);
    else this.#queue.unshift(job);
  }
}

const setup = { replicas: 4, slots: 16, cacheTokens: 320_000, routing: "chosen" } as const;

describe.each([1, 2])("an hour of conversations, with the seed %d", (seed) => {
  const single = new Simulation({ ...setup, replicas: 1, seed }).run();
  const replicated = new Simulation({ ...setup, seed, crashEveryMs: 900_000 }).run();
  const random = new Simulation({ ...setup, routing: "random", seed }).run();

  it("is answered completely, with every crash", () => {
    expect(replicated.answers).toBe(replicated.questions);
    expect(replicated.answers).toBeGreaterThan(5000);
    expect(replicated.crashes).toBeGreaterThan(1);
  });

  it("reuses at least 95 % of the tokens that one engine with the same cache reuses", () => {
    expect(replicated.hitRate / single.hitRate).toBeGreaterThanOrEqual(0.95);
  });

  it("reuses far fewer tokens with random replicas", () => {
    expect(random.hitRate / single.hitRate).toBeLessThan(0.75);
  });

  it("starts every generation in time", () => {
    expect(replicated.longestWaitMs).toBeLessThan(30_000);
  });
});
