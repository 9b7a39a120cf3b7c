import { describe, expect, it } from "vitest";
import { createRefusal, GgufdError } from "../../src/core/errors.js";
import type { ListenerEvent } from "../../src/process/event-frames.js";
import { toFrames } from "../../src/process/event-frames.js";
import {
  type AnswerMessage,
  answerCall,
  type CallMessage,
  RemoteCalls,
} from "../../src/process/rpc.js";

interface Counter {
  add(count: number): Promise<number>;
  /** A method that rejects. */
  refuse(): Promise<never>;
  never(): Promise<void>;
  reset(): void;
  /** Emits each count up to a number. */
  countTo(count: number, listener: (event: object, step: number) => void): void;
}

class LocalCounter implements Counter {
  #count = 0;
  async add(count: number): Promise<number> {
    this.#count += count;
    return this.#count;
  }
  async refuse(): Promise<never> {
    throw createRefusal("invalid_request", [{ field: "count", reason: "expected none" }]);
  }
  never(): Promise<void> {
    return new Promise(() => undefined);
  }
  reset(): void {
    this.#count = 0;
  }
  countTo(count: number, listener: (event: object, step: number) => void): void {
    for (let step = 1; step <= count; step++) listener({ type: "counted" }, step);
    listener({ type: "failed", error: createRefusal("invalid_request", []) }, count);
  }
}

const unheard = () => {
  throw new Error("there is no listener");
};

/** Remote calls over a channel that clones all messages. */
function connect(target: object = new LocalCounter()) {
  const sent: CallMessage[] = [];
  const calls: RemoteCalls<Counter> = new RemoteCalls((message) => {
    sent.push(message);
    const tell = (event: ListenerEvent) =>
      calls.dispatch(structuredClone({ type: "events", ...toFrames([event]) }));
    void answerCall(structuredClone(message), () => target, tell).then(
      (answer) => answer && calls.settle(structuredClone(answer)),
    );
  });
  return { calls, sent };
}

describe("remote calls", () => {
  it("return the results of methods", async () => {
    const { calls, sent } = connect();
    expect(await Promise.all([calls.call("add", 2), calls.call("add", 3)])).toEqual([2, 5]);
    expect(sent[0]).toEqual({ type: "call", callId: 0, method: "add", args: [2] });
  });

  it("reject with the errors of methods, including codes and details", async () => {
    await expect(connect().calls.call("refuse")).rejects.toMatchObject({
      code: "invalid_request",
      param: "count",
      message: "count: expected none.",
    });
  });

  it("reject with internal_error before loading, and for unknown methods", async () => {
    const call = { type: "call", callId: 7, args: [] } as const;
    const notLoaded = () => {
      throw new Error("nothing is loaded");
    };
    const unloaded = await answerCall({ ...call, method: "add" }, notLoaded, unheard);
    expect(unloaded).toMatchObject({ type: "threw", callId: 7, error: { code: "internal_error" } });
    for (const method of ["gone", "constructor", "#count", "__proto__"]) {
      const answer = await answerCall({ ...call, method }, () => new LocalCounter(), unheard);
      expect(answer).toMatchObject({ type: "threw", error: { code: "internal_error" } });
    }
  });

  it("without a response are sent as notifications", async () => {
    const { calls, sent } = connect();
    await calls.call("add", 2);
    calls.notify("reset");
    expect(sent.at(-1)).toEqual({ type: "call", method: "reset", args: [] });
    expect(await calls.call("add", 1)).toBe(1);
  });

  it("without a response end the process if they fail", async () => {
    const failing = { reset: () => Promise.reject(new Error("a failed assertion")) };
    const call = { type: "call", method: "reset", args: [] } as const;
    await expect(answerCall(call, () => failing, unheard)).rejects.toThrow("a failed assertion");
  });

  it("are counted per method for the watchdog", async () => {
    const { calls } = connect();
    const never = calls.call("never").catch((error: unknown) => error);
    await calls.call("add", 1);
    expect([calls.countInFlight(["add"]), calls.countInFlight(["add", "never"])]).toEqual([0, 1]);
    expect([calls.countAnswered(["add"]), calls.countAnswered(["never"])]).toEqual([1, 0]);
    calls.failAll();
    expect(await never).toMatchObject({ code: "model_unavailable" });
    expect(calls.countInFlight(["never"])).toBe(0);
  });

  it("deliver events to their listeners in order, with the original errors", async () => {
    const { calls, sent } = connect();
    const told: unknown[][] = [];
    calls.listen("countTo", 2, (event, step) => told.push([event, step]));
    expect(sent).toEqual([{ type: "call", listenerId: 0, method: "countTo", args: [2] }]);
    expect(told.slice(0, 2)).toEqual([
      [{ type: "counted" }, 1],
      [{ type: "counted" }, 2],
    ]);
    expect(told[2]).toMatchObject([{ type: "failed", error: { code: "invalid_request" } }, 2]);
    expect(told[2]?.[0]).toHaveProperty("error", expect.any(GgufdError));
  });

  it("deliver no events to removed listeners, or after the process has exited", () => {
    const { calls } = connect();
    const heard: string[] = [];
    const stop = calls.listen("countTo", 0, () => heard.push("first"));
    calls.listen("countTo", 0, () => heard.push("second"));
    expect(heard).toEqual(["first", "second"]);
    stop();
    const events: ListenerEvent[] = [[0], [1], [2]];
    calls.dispatch({ type: "events", ...toFrames(events) });
    expect(heard).toEqual(["first", "second", "second"]);
    calls.failAll();
    calls.dispatch({ type: "events", ...toFrames(events) });
    expect(heard).toHaveLength(3);
  });

  it("ignore a late response", async () => {
    const { calls } = connect();
    const late: AnswerMessage = { type: "returned", callId: 99, result: 1 };
    calls.settle(late);
    expect(calls.countAnswered(["add"])).toBe(0);
  });
});
