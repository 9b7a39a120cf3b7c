import type { PreparedGeneration } from "../core/generation-request.js";
import { engineLost } from "./engine-lost.js";
import { fromErrorRecord } from "./error-record.js";
import type { PrepareAnswer } from "./protocol.js";

interface PendingCall {
  readonly resolve: (prepared: PreparedGeneration) => void;
  readonly reject: (error: Error) => void;
}

/** Prompts that another process is preparing, by the id of the call. */
export class PendingCalls {
  readonly #calls = new Map<number, PendingCall>();
  #nextCallId = 0;

  /**
   * Begins a call.
   * @param send sends the message with the id of the call
   */
  begin(send: (callId: number) => void): Promise<PreparedGeneration> {
    return new Promise((resolve, reject) => {
      const callId = this.#nextCallId++;
      this.#calls.set(callId, { resolve, reject });
      send(callId);
    });
  }

  /** Ends the call that is answered. */
  end(answer: PrepareAnswer): void {
    const call = this.#calls.get(answer.callId);
    this.#calls.delete(answer.callId);
    if (answer.type === "prepared") call?.resolve(answer.prepared);
    else call?.reject(fromErrorRecord(answer.error));
  }

  /** Ends all calls with `model_unavailable`: the process is gone. */
  fail(): void {
    for (const { reject } of this.#calls.values()) reject(engineLost());
    this.#calls.clear();
  }
}
