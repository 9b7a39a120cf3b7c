import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { InputError } from "../../models/command-line/input-error.js";
import type { Load, LoadResult } from "./load.js";
import { typescriptFlags } from "./typescript-flags.js";

/** What a process that makes loads says. */
export type LoadReply =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly result: LoadResult }
  | { readonly kind: "failed"; readonly reason: string };

/** Loads that can run at a time. */
const PROCESSES = 2;

const program = fileURLToPath(new URL("load-generator.ts", import.meta.url));

/**
 * The processes that make loads, so that no load shares an event loop with another one or with the
 * measuring.
 */
export class LoadProcesses {
  readonly #signal: AbortSignal;
  readonly #all: readonly ChildProcess[];
  readonly #idle: ChildProcess[];

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
    const options = { execArgv: typescriptFlags(), serialization: "advanced" } as const;
    this.#all = Array.from({ length: PROCESSES }, () => fork(program, options));
    this.#idle = [...this.#all];
  }

  /**
   * Resolves when all of them wait for a load, so that two that are given together begin together.
   * @param signal ends loads that run
   */
  static async start(signal: AbortSignal): Promise<LoadProcesses> {
    const processes = new LoadProcesses(signal);
    await Promise.all(processes.#all.map((child) => processes.#nextReply(child)));
    return processes;
  }

  /** @throws {InputError} when an answer is not 2xx, or does not come. */
  async run(load: Load): Promise<LoadResult> {
    const child = this.#idle.pop();
    if (child === undefined) throw new Error(`more than ${PROCESSES} loads at a time`);
    const replied = this.#nextReply(child);
    child.send(load);
    const reply = await replied;
    this.#idle.push(child);
    if (reply.kind === "done") return reply.result;
    throw reply.kind === "failed" ? new InputError(reply.reason) : new Error(reply.kind);
  }

  close(): void {
    for (const child of this.#all) child.kill();
  }

  async #nextReply(child: ChildProcess): Promise<LoadReply> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.#signal, over.signal]);
    const ended = once(child, "exit", { signal }).then(([code, killedBy]) => {
      throw new Error(`the process that makes loads ended with ${code ?? killedBy}`);
    });
    const reply = once(child, "message", { signal }).then(([message]) => message as LoadReply);
    try {
      return await Promise.race([ended, reply]);
    } finally {
      over.abort();
    }
  }
}
