import { engineLost } from "./engine-lost.js";
import { type ErrorRecord, fromErrorRecord } from "./error-record.js";

interface PendingCall<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

/** Calls that another process is answering, by the id of the call. */
export class PendingCalls<Result> {
  readonly #calls = new Map<number, PendingCall<Result>>();
  #nextCallId = 0;
  #answers = 0;

  get inFlight(): number {
    return this.#calls.size;
  }

  /** Calls that have been answered, one way or another. */
  get answers(): number {
    return this.#answers;
  }

  /**
   * Begins a call.
   * @param send sends the message with the id of the call
   */
  begin(send: (callId: number) => void): Promise<Result> {
    return new Promise((resolve, reject) => {
      const callId = this.#nextCallId++;
      this.#calls.set(callId, { resolve, reject });
      send(callId);
    });
  }

  /** Ends a call with what it asked for. */
  resolve(callId: number, result: Result): void {
    this.#take(callId)?.resolve(result);
  }

  /** Ends a call with its error. */
  reject(callId: number, error: ErrorRecord): void {
    this.#take(callId)?.reject(fromErrorRecord(error));
  }

  /** Ends all calls with `model_unavailable`: the process is gone. */
  fail(): void {
    for (const { reject } of this.#calls.values()) reject(engineLost());
    this.#calls.clear();
  }

  #take(callId: number): PendingCall<Result> | undefined {
    const call = this.#calls.get(callId);
    if (call !== undefined) this.#answers += 1;
    this.#calls.delete(callId);
    return call;
  }
}
