import { describe, expect, it } from "vitest";
import { refusalOf } from "../../src/core/errors.js";
import {
  type AnswerMessage,
  answerCall,
  type CallMessage,
  RemoteCalls,
} from "../../src/process/rpc.js";

interface Counter {
  add(count: number): Promise<number>;
  /** Rejects. */
  refuse(): Promise<never>;
  never(): Promise<void>;
  reset(): void;
}

class LocalCounter implements Counter {
  #count = 0;
  async add(count: number): Promise<number> {
    this.#count += count;
    return this.#count;
  }
  async refuse(): Promise<never> {
    throw refusalOf("invalid_request", [{ field: "count", reason: "expected none" }]);
  }
  never(): Promise<void> {
    return new Promise(() => undefined);
  }
  reset(): void {
    this.#count = 0;
  }
}

/** Calls over a border that clones all messages. */
function connect(target: object = new LocalCounter()) {
  const sent: CallMessage[] = [];
  const calls: RemoteCalls<Counter> = new RemoteCalls((message) => {
    sent.push(message);
    void answerCall(structuredClone(message), () => target).then(
      (answer) => answer && calls.end(structuredClone(answer)),
    );
  });
  return { calls, sent };
}

describe("calls of another process", () => {
  it("return what its methods return", async () => {
    const { calls, sent } = connect();
    expect(await Promise.all([calls.call("add", 2), calls.call("add", 3)])).toEqual([2, 5]);
    expect(sent[0]).toEqual({ type: "call", callId: 0, method: "add", args: [2] });
  });

  it("throw what its methods throw, with its code and details", async () => {
    await expect(connect().calls.call("refuse")).rejects.toMatchObject({
      code: "invalid_request",
      param: "count",
      message: "count: expected none.",
    });
  });

  it("throw internal errors where nothing is loaded, and where there is no such method", async () => {
    const call = { type: "call", callId: 7, args: [] } as const;
    const unloaded = await answerCall({ ...call, method: "add" }, () => {
      throw new Error("nothing is loaded");
    });
    expect(unloaded).toMatchObject({ type: "threw", callId: 7, error: { code: "internal_error" } });
    for (const method of ["gone", "constructor", "#count", "__proto__"]) {
      const answer = await answerCall({ ...call, method }, () => new LocalCounter());
      expect(answer).toMatchObject({ type: "threw", error: { code: "internal_error" } });
    }
  });

  it("that nobody waits for are answered by nothing", async () => {
    const { calls, sent } = connect();
    await calls.call("add", 2);
    calls.notify("reset");
    expect(sent.at(-1)).toEqual({ type: "call", method: "reset", args: [] });
    expect(await calls.call("add", 1)).toBe(1);
  });

  it("that nobody waits for end the process where they fail", async () => {
    const failing = { reset: () => Promise.reject(new Error("a failed assertion")) };
    const call = { type: "call", method: "reset", args: [] } as const;
    await expect(answerCall(call, () => failing)).rejects.toThrow("a failed assertion");
  });

  it("are counted for the watchdog, by their methods", async () => {
    const { calls } = connect();
    const never = calls.call("never").catch((error: unknown) => error);
    await calls.call("add", 1);
    expect([calls.inFlight(["add"]), calls.inFlight(["add", "never"])]).toEqual([0, 1]);
    expect([calls.answered(["add"]), calls.answered(["never"])]).toEqual([1, 0]);
    calls.fail();
    expect(await never).toMatchObject({ code: "model_unavailable" });
    expect(calls.inFlight(["never"])).toBe(0);
  });

  it("ignore an answer that comes too late", async () => {
    const { calls } = connect();
    const late: AnswerMessage = { type: "returned", callId: 99, result: 1 };
    calls.end(late);
    expect(calls.answered(["add"])).toBe(0);
  });
});
