import type { GenerationRequest, PreparedRequest } from "../core/generation-request.js";
import { BLOCK_CHARACTERS, type BlockHashes, hashPrompt } from "./prompt-hashes.js";
import type { Replica } from "./replica.js";

/** Average for English text; other languages have fewer characters per token. */
const CHARACTERS_PER_TOKEN = 4;

/** The request as one replica holds it. */
interface Copy {
  readonly prepared: Promise<PreparedRequest>;
  /** Value of {@link Replica.crashes} when the request was prepared. */
  readonly crashes: number;
  isSettled: boolean;
}

/**
 * A request that replicas prepare and hold until its release. A replica that crashes loses its
 * copy.
 */
export class HeldRequest {
  readonly request: GenerationRequest;
  readonly hashes: BlockHashes;
  /** Generations of the request that do not run in a replica yet. */
  startingGenerations = 0;
  readonly #copies = new Map<Replica, Copy>();
  /** Prompt length: estimated until a replica has prepared the request. */
  #promptTokens: number;
  /** Crashes since the last complete answer with the request in the replica. */
  readonly #crashes = new Set<string>();
  #isReleased = false;

  constructor(request: GenerationRequest) {
    this.request = request;
    this.hashes = hashPrompt(request);
    this.#promptTokens = Math.ceil(this.hashes.characters / CHARACTERS_PER_TOKEN);
  }

  get promptTokens(): number {
    return this.#promptTokens;
  }

  /** Tokens of one block of the prompt, on average. */
  get tokensPerBlock(): number {
    return (this.#promptTokens * BLOCK_CHARACTERS) / Math.max(1, this.hashes.characters);
  }

  /** Number of consecutive crashes of replicas that had the request at work. */
  get crashes(): number {
    return this.#crashes.size;
  }

  /** @param crashes value of {@link Replica.crashes} when the request entered the replica */
  noteCrash({ index }: Pick<Replica, "index">, crashes: number): void {
    this.#crashes.add(`${index} ${crashes}`);
  }

  /** An answer is complete: the request does not crash engines. */
  noteAnswer(): void {
    this.#crashes.clear();
  }

  /** Estimates how many of the prompt's tokens a replica has cached. */
  estimateCachedTokens({ cached }: Pick<Replica, "cached">): number {
    if (this.request.evaluation === "anew") return 0;
    const tokens = cached.countCached(this.hashes.complete) * this.tokensPerBlock;
    // The last token of a prompt is always evaluated.
    return Math.min(Math.floor(tokens), Math.max(0, this.#promptTokens - 1));
  }

  /** Returns a running replica that has prepared the request, or is preparing it. */
  findHolder(): Replica | undefined {
    for (const [replica, { crashes }] of this.#copies) {
      if (replica.isRunning && replica.crashes === crashes) return replica;
    }
    return undefined;
  }

  /**
   * Prepares the request in a replica, unless that holds it.
   * @param slot the replica's slot that the request names; `undefined`: it names none of them
   * @throws {GgufdError} the errors of {@link Engine.prepare}
   */
  async prepareIn(replica: Replica, slot: number | undefined): Promise<PreparedRequest> {
    const heldCopy = this.#copies.get(replica);
    if (heldCopy !== undefined && heldCopy.crashes === replica.crashes) return heldCopy.prepared;
    const prepared = replica.engine.prepare({ ...this.request, slot });
    const copy: Copy = { prepared, crashes: replica.crashes, isSettled: false };
    this.#copies.set(replica, copy);
    try {
      const result = await prepared;
      this.#promptTokens = result.promptTokens;
      return result;
    } finally {
      copy.isSettled = true;
    }
  }

  /** Drops the request in all replicas, as soon as its generations have started. */
  release(): void {
    this.#isReleased = true;
    this.releaseUnused();
  }

  /** Drops the request in all replicas if it was released and its generations have started. */
  releaseUnused(): void {
    if (this.#isReleased && this.startingGenerations === 0) this.dropExceptIn(undefined);
  }

  /** Makes replicas drop the request and stop preparing it. */
  dropExceptIn(kept: Replica | undefined): void {
    for (const [replica, copy] of this.#copies) {
      if (replica === kept) continue;
      this.#copies.delete(replica);
      const release = () => {
        if (replica.crashes === copy.crashes) replica.engine.release(this.request.id);
      };
      release();
      if (!copy.isSettled) copy.prepared.then(release, () => undefined);
    }
  }
}
