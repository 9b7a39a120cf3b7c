import { describe, expect, it } from "vitest";
import { GgufdError } from "../../src/core/errors.js";
import { ResumableStreams, type StreamLimits } from "../../src/http/resumable-streams.js";

const BLOCK_BYTES = 16 * 1024;

function streamsWith(limits: Partial<StreamLimits> = {}, owners: readonly string[] = [""]) {
  const clock = { now: 1000 };
  const streams = new ResumableStreams({
    limits: {
      streams: 100,
      bytes: 100 * BLOCK_BYTES,
      bytesOfStream: 10 * BLOCK_BYTES,
      keptMs: 100,
      ...limits,
    },
    owners: { count: () => owners.length, has: (owner) => owners.includes(owner) },
    now: () => clock.now,
  });
  const ended = (owner: string, id: string, blocks = 0) => {
    const stream = streams.open(owner, id);
    stream.append("x".repeat(blocks * BLOCK_BYTES));
    stream.end();
  };
  const idsOf = (owner: string, ids: string) =>
    [...ids].filter((id) => streams.lookup(owner, id).length > 0).join("");
  return { clock, streams, ended, idsOf };
}

describe("resumable streams", () => {
  it("are found by their owner only", () => {
    const { streams } = streamsWith({}, ["alice", "bob"]);
    const stream = streams.open("alice", "a");
    expect(streams.find("alice", "a")).toBe(stream);
    expect(() => streams.find("bob", "a")).toThrow("Stream of the conversation 'a' not found");
    streams.stop("bob", "a");
    expect(stream.stopped.aborted).toBe(false);
  });

  it("are stopped by the next stream of the conversation, which their end does not remove", () => {
    const { streams } = streamsWith();
    const first = streams.open("", "a");
    const second = streams.open("", "a");
    expect(first.stopped.reason).toBeInstanceOf(GgufdError);
    expect(first.buffer.isClosed).toBe(true);
    first.discard();
    expect(streams.find("", "a")).toBe(second);
  });

  it("are kept for some time after their end", () => {
    const { clock, streams, ended, idsOf } = streamsWith();
    streams.open("", "r");
    ended("", "a");
    clock.now += 100;
    expect(idsOf("", "ra")).toBe("ra");
    clock.now += 1;
    expect(idsOf("", "ra")).toBe("r");
  });

  it("are looked up with those of the models of a conversation", () => {
    const { streams } = streamsWith();
    for (const id of ["a", "a::m", "ab", "b"]) streams.open("", id);
    expect(streams.lookup("", "a").map(({ id }) => id)).toEqual(["a", "a::m"]);
  });

  it("are dropped beyond the quota of their owner, earliest first and only after their end", () => {
    const { streams, ended, idsOf } = streamsWith({ streams: 6 }, ["alice", "bob"]);
    ended("bob", "z");
    streams.open("alice", "r");
    for (const id of "abc") ended("alice", id);
    expect([idsOf("alice", "rabc"), idsOf("bob", "z")]).toEqual(["rbc", "z"]);
  });

  it("take no more memory than the quota of their owner", () => {
    const { streams, ended, idsOf } = streamsWith({ bytes: 4 * BLOCK_BYTES });
    ended("", "a", 2);
    ended("", "b", 2);
    const running = streams.open("", "r");
    running.append("x");
    expect(idsOf("", "abr")).toBe("br");
    running.append("x".repeat(5 * BLOCK_BYTES));
    expect(idsOf("", "abr")).toBe("r");
    expect(running.buffer.memoryBytes).toBe(4 * BLOCK_BYTES);
    const other = streams.open("", "s");
    other.append("x");
    expect(running.buffer.memoryBytes + other.buffer.memoryBytes).toBe(4 * BLOCK_BYTES);
  });
});
