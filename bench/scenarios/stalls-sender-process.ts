import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Answer } from "../client/send-request.js";
import { typescriptFlags } from "../todos/typescript-flags.js";
import type { BodySizes } from "./stalls-body.js";
import type { SenderOrder, SenderReply } from "./stalls-sender.js";

const program = fileURLToPath(new URL("stalls-sender.ts", import.meta.url));

/**
 * Child process that sends requests. Building and sending megabytes would block the process that
 * measures the server's response times.
 */
export class SenderProcess {
  readonly #child: ChildProcess = fork(program, { execArgv: typescriptFlags() });
  readonly #signal: AbortSignal;

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** @param signal aborts waiting for the process */
  static async start(signal: AbortSignal): Promise<SenderProcess> {
    const sender = new SenderProcess(signal);
    await sender.#nextReply();
    return sender;
  }

  /**
   * Builds the next request and prepares its data.
   * @param baseUrl of the server
   * @returns the size of the body in bytes
   */
  async build(name: string, sizes: BodySizes, baseUrl: string): Promise<number> {
    const reply = await this.#carryOut({ kind: "build", name, sizes, baseUrl });
    if (reply.kind !== "built") throw new Error(`the sender replied ${reply.kind}`);
    return reply.bytes;
  }

  /** Sends the request that was built, and waits for the complete answer. */
  async send(): Promise<Answer> {
    const reply = await this.#carryOut({ kind: "send" });
    if (reply.kind !== "answered") throw new Error(`the sender replied ${reply.kind}`);
    return reply.answer;
  }

  close(): void {
    this.#child.kill();
  }

  #carryOut(order: SenderOrder): Promise<SenderReply> {
    const reply = this.#nextReply();
    this.#child.send(order);
    return reply;
  }

  async #nextReply(): Promise<SenderReply> {
    const settled = new AbortController();
    const signal = AbortSignal.any([this.#signal, settled.signal]);
    const exited = once(this.#child, "exit", { signal }).then(([code, killedBy]) => {
      throw new Error(`the sender exited with ${code ?? killedBy}`);
    });
    const reply = once(this.#child, "message", { signal }).then(
      ([message]) => message as SenderReply,
    );
    try {
      return await Promise.race([exited, reply]);
    } finally {
      settled.abort();
    }
  }
}
