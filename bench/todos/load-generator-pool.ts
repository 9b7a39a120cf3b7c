import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { InputError } from "../../models/command-line/input-error.js";
import type { Load, LoadResult } from "./load.js";
import { typescriptFlags } from "./typescript-flags.js";

/** Message from a load-generator process. */
export type LoadReply =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly result: LoadResult }
  | { readonly kind: "failed"; readonly reason: string };

/** Maximum number of concurrent loads. */
const POOL_SIZE = 2;

const program = fileURLToPath(new URL("load-generator.ts", import.meta.url));

/**
 * Pool of load-generator processes, so that no load shares an event loop with another load or with
 * the benchmark itself.
 */
export class LoadGeneratorPool {
  readonly #signal: AbortSignal;
  readonly #children: readonly ChildProcess[];
  readonly #idle: ChildProcess[];

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
    const options = { execArgv: typescriptFlags(), serialization: "advanced" } as const;
    this.#children = Array.from({ length: POOL_SIZE }, () => fork(program, options));
    this.#idle = [...this.#children];
  }

  /**
   * Resolves once all processes are ready, so that two loads submitted together start together.
   * @param signal aborts running loads
   */
  static async start(signal: AbortSignal): Promise<LoadGeneratorPool> {
    const pool = new LoadGeneratorPool(signal);
    await Promise.all(pool.#children.map((child) => pool.#nextReply(child)));
    return pool;
  }

  /** @throws {InputError} if a request fails or its status is not 2xx */
  async run(load: Load): Promise<LoadResult> {
    const child = this.#idle.pop();
    if (child === undefined) throw new Error(`more than ${POOL_SIZE} concurrent loads`);
    const nextReply = this.#nextReply(child);
    child.send(load);
    const reply = await nextReply;
    this.#idle.push(child);
    if (reply.kind === "done") return reply.result;
    throw reply.kind === "failed" ? new InputError(reply.reason) : new Error(reply.kind);
  }

  close(): void {
    for (const child of this.#children) child.kill();
  }

  async #nextReply(child: ChildProcess): Promise<LoadReply> {
    const settled = new AbortController();
    const signal = AbortSignal.any([this.#signal, settled.signal]);
    const exited = once(child, "exit", { signal }).then(([code, killedBy]) => {
      throw new Error(`the load generator exited with ${code ?? killedBy}`);
    });
    const reply = once(child, "message", { signal }).then(([message]) => message as LoadReply);
    try {
      return await Promise.race([exited, reply]);
    } finally {
      settled.abort();
    }
  }
}
