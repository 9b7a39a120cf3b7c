import { describe, expect, it } from "vitest";
import type { RequestRecord } from "../../bench/client/request-record.js";
import { PromptWriter } from "../../bench/prompts/prompt-writer.js";
import { startStreams } from "../../bench/scenarios/beside-streams.js";
import { record } from "./records.js";

/** Client whose answers are controlled by the test. */
function startClient() {
  const answers: { onChunks: () => void; end: (record: RequestRecord) => void }[] = [];
  const stop = new AbortController();
  const client = startStreams(
    {
      contextSize: 100,
      prompts: new PromptWriter("s", 1),
      complete: (_request, onChunks = () => undefined) =>
        new Promise((end) => answers.push({ onChunks, end })),
    },
    0,
    stop.signal,
  );
  const answer = () => {
    const last = answers.at(-1);
    if (last === undefined) throw new Error("nothing is asked for");
    return last;
  };
  return { ...client, answer, stop };
}

/** Whether a promise is resolved once all pending microtasks have run. */
async function isResolved(promise: Promise<void>): Promise<boolean> {
  const turn = new Promise<"open">((resolve) => setImmediate(() => resolve("open")));
  return (await Promise.race([promise, turn])) !== "open";
}

describe("a streaming benchmark client", () => {
  it("reports that it is streaming when its first chunk arrives", async () => {
    const { streaming, answer } = startClient();
    expect(await isResolved(streaming)).toBe(false);
    answer().onChunks();
    expect(await isResolved(streaming)).toBe(true);
  });

  it("reports a gap after two chunks", async () => {
    const { nextGap, answer } = startClient();
    answer().onChunks();
    const gap = nextGap();
    answer().onChunks();
    expect(await isResolved(gap)).toBe(false);
    answer().onChunks();
    expect(await isResolved(gap)).toBe(true);
  });

  it("reports a gap between a chunk and the first chunk of its next answer", async () => {
    const { nextGap, answer } = startClient();
    const gap = nextGap();
    answer().onChunks();
    answer().end(record({ chunkTimesMs: [1], endedAtMs: 2 }));
    expect(await isResolved(gap)).toBe(false);
    answer().onChunks();
    expect(await isResolved(gap)).toBe(true);
  });

  it("stops waiting for gaps when it fails or is stopped", async () => {
    const failed = startClient();
    const gap = failed.nextGap();
    failed.answer().end(record({ chunkTimesMs: [], endedAtMs: 2, error: "reset" }));
    expect(await isResolved(gap)).toBe(true);
    expect(await failed.finished).toHaveLength(1);

    const stopped = startClient();
    stopped.stop.abort();
    stopped.answer().end(record({ chunkTimesMs: [1], endedAtMs: 2 }));
    expect(await isResolved(stopped.streaming)).toBe(true);
    expect(await isResolved(stopped.nextGap())).toBe(true);
  });
});
