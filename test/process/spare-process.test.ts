import { describe, expect, it, vi } from "vitest";
import type { Channel, ChannelListener } from "../../src/process/process-channel.js";
import { SpareProcess } from "../../src/process/spare-process.js";

type Listener = ChannelListener<string>;

/** Simulated processes. */
function simulated() {
  const started: { listener: Listener; sent: string[]; kill: ReturnType<typeof vi.fn> }[] = [];
  const open = (listener: Listener): Channel<string> => {
    const sent: string[] = [];
    const kill = vi.fn();
    started.push({ listener, sent, kill });
    return { send: (message) => sent.push(message), kill, showOutput: vi.fn() };
  };
  const spare = new SpareProcess<string, string>(open, () => "prepare");
  return { spare, started };
}

const listening = () => ({ onMessage: vi.fn(), onEnd: vi.fn() }) satisfies Listener;

describe("a spare process", () => {
  it("is prepared in advance, and reports to its owner once it is taken", () => {
    const { spare, started } = simulated();
    spare.start();
    spare.start();
    expect(started.map(({ sent }) => sent)).toEqual([["prepare"]]);
    const owner = listening();
    spare.take(owner).send("load");
    started[0]?.listener.onMessage("loaded");
    started[0]?.listener.onEnd("SIGKILL");
    expect(started.map(({ sent }) => sent)).toEqual([["prepare", "load"]]);
    expect(owner.onMessage.mock.calls).toEqual([["loaded"]]);
    expect(owner.onEnd.mock.calls).toEqual([["SIGKILL"]]);
  });

  it("is started on demand if there is none", () => {
    const { spare, started } = simulated();
    spare.take(listening()).send("load");
    expect(started.map(({ sent }) => sent)).toEqual([["load"]]);
  });

  it("that has exited is replaced instead of being handed over", () => {
    const { spare, started } = simulated();
    spare.start();
    started[0]?.listener.onEnd("SIGKILL");
    spare.take(listening());
    expect(started).toHaveLength(2);
  });

  it("is killed when the server closes, and no other one is started", () => {
    const { spare, started } = simulated();
    spare.start();
    spare.close();
    spare.start();
    expect(started.map(({ kill }) => kill.mock.calls.length)).toEqual([1]);
  });
});
