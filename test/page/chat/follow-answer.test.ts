import { describe, expect, it, vi } from "vitest";
import type { ResponseEvent } from "../../../src/api/responses/event-schema.js";
import { ApiError } from "../../../src/page/api/api-error.js";
import {
  type FollowedAnswer,
  followAnswer,
  MAX_ATTEMPTS,
} from "../../../src/page/chat/follow-answer.js";
import { textOfAnswer } from "../../../src/page/chat/turns.js";
import { message, someResponse, textEvents } from "./answers.js";

const LOST = new ApiError(0, "unreachable", "The server cannot be reached: network error.");

const GONE = new ApiError(404, "not_found", "Response with id 'resp_1' not found.");

/** Stream of events that then fails with an error, or ends. */
async function* streamOf(events: readonly ResponseEvent[], error?: unknown) {
  yield* events;
  if (error !== undefined) throw error;
}

interface Scripted {
  /** Streams of the following attempts, in order. */
  readonly streams?: readonly (() => AsyncIterable<ResponseEvent>)[];
  /** States of the response reported by the server, one per request; the last one repeats. */
  readonly states?: readonly (object | ApiError)[];
}

async function follow(
  begin: AsyncIterable<ResponseEvent>,
  { streams = [], states = [] }: Scripted,
) {
  const paths: string[] = [];
  let attempts = 0;
  let questions = 0;
  const client = {
    async json<Answer>(): Promise<Answer> {
      const state = states[Math.min(questions++, states.length - 1)];
      if (state === undefined || state instanceof Error) throw state ?? LOST;
      return state as Answer;
    },
    async *events<Event>(path: string): AsyncGenerator<Event, void, undefined> {
      paths.push(path);
      const stream = streams[attempts++];
      if (stream === undefined) throw LOST;
      yield* stream() as AsyncIterable<Event>;
    },
  };
  const pause = vi.fn(async (_attempt: number) => {});
  const seen: FollowedAnswer[] = [];
  for await (const answer of followAnswer(() => begin, { client, pause })) seen.push(answer);
  return { seen, last: seen.at(-1), paths, pause };
}

describe("following a streamed answer", () => {
  const events = textEvents("Hel", "lo");
  const running = someResponse();

  it("reads all events", async () => {
    const { last, paths } = await follow(streamOf(events), {});
    expect(last).toMatchObject({ state: "ended", connection: "open" });
    expect(last && textOfAnswer(last)).toBe("Hello");
    expect(paths).toEqual([]);
  });

  it.each([
    ["fails", LOST],
    ["ends without a final event", undefined],
  ])("resumes after the last event when the connection %s", async (_how, error) => {
    const { last, paths } = await follow(streamOf(events.slice(0, 6), error), {
      streams: [() => streamOf(events.slice(6))],
      states: [running],
    });
    expect(paths).toEqual(["/v1/responses/resp_1?stream=true&starting_after=5"]);
    expect(last && textOfAnswer(last)).toBe("Hello");
    expect(last?.state).toBe("ended");
  });

  it("retries with a backoff while the server does not respond", async () => {
    const { seen, last, pause } = await follow(streamOf(events.slice(0, 6), LOST), {
      streams: [() => streamOf([], LOST), () => streamOf(events.slice(6))],
      states: [LOST, LOST, running],
    });
    expect(seen.some(({ connection }) => connection === "lost")).toBe(true);
    expect(pause.mock.calls.map(([attempt]) => attempt)).toEqual([0, 1]);
    expect(last).toMatchObject({ state: "ended", connection: "open" });
  });

  it("ends with the partial answer if the response was cancelled", async () => {
    const { last } = await follow(streamOf(events.slice(0, 6)), {
      states: [someResponse({ status: "cancelled", output: [message("Hel")] })],
    });
    expect(last).toMatchObject({ state: "ended", items: [message("Hel")] });
  });

  it.each([
    ["fails", LOST, [GONE]],
    ["ends, and the server is unavailable for a while", undefined, [LOST, LOST, GONE]],
  ])(
    "keeps the partial answer, and reports that the server restarted, if the stream %s",
    async (_how, error, states) => {
      const { last } = await follow(streamOf(events.slice(0, 6), error), { states });
      expect(last).toMatchObject({
        state: "ended",
        error: "The server restarted before the answer was complete.",
      });
      expect(last && textOfAnswer(last)).toBe("Hel");
    },
  );

  it("shows the server's error message if the response was deleted", async () => {
    const { last } = await follow(streamOf(events.slice(0, 6)), { states: [GONE] });
    expect(last).toMatchObject({ state: "ended", error: GONE.message });
    expect(last && textOfAnswer(last)).toBe("Hel");
  });

  it("stops retrying after the maximum number of attempts", async () => {
    const { last, pause } = await follow(streamOf(events.slice(0, 6), LOST), { states: [LOST] });
    expect(pause).toHaveBeenCalledTimes(MAX_ATTEMPTS);
    expect(last).toMatchObject({
      state: "ended",
      error: expect.stringContaining("is unreachable"),
    });
  });

  it("fails if the answer never started", async () => {
    const full = new ApiError(503, "server_overloaded", "The queue is full.");
    await expect(follow(streamOf([], full), {})).rejects.toBe(full);
    await expect(follow(streamOf([]), {})).rejects.toThrow("before the answer began");
  });
});
