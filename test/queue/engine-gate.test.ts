import { describe, expect, test } from "vitest";
import { type EngineAccess, EngineGate } from "../../src/queue/engine-gate.js";
import { microtasksDone } from "../support/generation-events.js";

/** Gate, and the names of the callers inside. */
function gated() {
  const gate = new EngineGate();
  const inside: string[] = [];
  const leaving = new Map<string, () => void>();
  const entered = (name: string, leave: () => void) => {
    inside.push(name);
    leaving.set(name, leave);
  };
  return {
    gate,
    inside,
    tries(name: string, access: EngineAccess = "shared"): boolean {
      const leave = gate.tryEnter(access);
      if (leave !== undefined) entered(name, leave);
      return leave !== undefined;
    },
    enters(name: string, access: EngineAccess = "shared", signal = new AbortController().signal) {
      return gate.enter(access, signal).then((leave) => entered(name, leave));
    },
    async leaves(name: string): Promise<void> {
      inside.splice(inside.indexOf(name), 1);
      leaving.get(name)?.();
      await microtasksDone();
    },
  };
}

describe("an open gate", () => {
  test("admits all callers immediately", async () => {
    const { gate, tries, enters, inside } = gated();
    expect(gate.isOpen).toBe(true);
    expect([tries("a"), tries("b")]).toEqual([true, true]);
    await enters("c");
    expect(inside).toEqual(["a", "b", "c"]);
  });

  test("admits an exclusive caller when it is empty, and then no other caller", async () => {
    const { tries, enters, leaves, inside } = gated();
    expect(tries("alone", "exclusive")).toBe(true);
    expect(tries("b")).toBe(false);
    void enters("c");
    await microtasksDone();
    expect(inside).toEqual(["alone"]);
    await leaves("alone");
    expect(inside).toEqual(["c"]);
    expect(tries("d")).toBe(true);
  });

  test("makes an exclusive caller wait for all callers inside, and later callers wait for the exclusive one", async () => {
    const { tries, enters, leaves, inside } = gated();
    tries("a");
    tries("b");
    expect(tries("alone", "exclusive")).toBe(false);
    void enters("alone", "exclusive");
    expect(tries("c")).toBe(false);
    void enters("c");
    await leaves("a");
    expect(inside).toEqual(["b"]);
    await leaves("b");
    expect(inside).toEqual(["alone"]);
    await leaves("alone");
    expect(inside).toEqual(["c"]);
  });

  test("admits exclusive callers one after another", async () => {
    const { enters, leaves, inside } = gated();
    for (const name of ["a", "b"]) void enters(name, "exclusive");
    await microtasksDone();
    expect(inside).toEqual(["a"]);
    await leaves("a");
    expect(inside).toEqual(["b"]);
  });
});

describe("a shut gate", () => {
  test("admits no caller until it opens, and then all in order", async () => {
    const { gate, tries, enters, inside } = gated();
    gate.shut();
    expect(gate.isOpen).toBe(false);
    expect(tries("a")).toBe(false);
    for (const name of ["a", "b", "c"]) void enters(name);
    await microtasksDone();
    expect(inside).toEqual([]);
    gate.open();
    await microtasksDone();
    expect(inside).toEqual(["a", "b", "c"]);
  });

  test("admits no waiting caller when the last caller inside leaves", async () => {
    const { gate, tries, enters, leaves, inside } = gated();
    tries("a");
    gate.shut();
    void enters("b");
    await leaves("a");
    expect(inside).toEqual([]);
  });
});

describe("a waiting caller that aborts", () => {
  test("rejects immediately with the abort reason", async () => {
    const { gate, enters, inside } = gated();
    const client = new AbortController();
    gate.shut();
    const waiting = enters("a", "shared", client.signal);
    client.abort(new Error("hung up"));
    await expect(waiting).rejects.toThrow("hung up");
    gate.open();
    await microtasksDone();
    expect(inside).toEqual([]);
  });

  test("rejects without waiting if it was aborted before", async () => {
    const { enters, inside } = gated();
    const gone = AbortSignal.abort(new Error("hung up"));
    await expect(enters("a", "shared", gone)).rejects.toThrow("hung up");
    expect(inside).toEqual([]);
  });

  test("admits the callers that waited behind it if it was exclusive", async () => {
    const { tries, enters, inside } = gated();
    const client = new AbortController();
    tries("a");
    const alone = enters("alone", "exclusive", client.signal);
    void enters("b");
    client.abort(new Error("hung up"));
    await expect(alone).rejects.toThrow("hung up");
    await microtasksDone();
    expect(inside).toEqual(["a", "b"]);
  });

  test("stays inside if it was already admitted", async () => {
    const { tries, enters, leaves, inside } = gated();
    const client = new AbortController();
    await enters("alone", "exclusive", client.signal);
    client.abort();
    expect(tries("b")).toBe(false);
    await leaves("alone");
    expect(tries("b")).toBe(true);
    expect(inside).toEqual(["b"]);
  });
});
