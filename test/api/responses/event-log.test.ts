import { describe, expect, it } from "vitest";
import { toErrorEvent } from "../../../src/api/responses/answer.js";
import { EventLog } from "../../../src/api/responses/event-log.js";
import { GgufdError } from "../../../src/core/errors.js";

const event = (number: number) =>
  toErrorEvent(new GgufdError("internal_error", "It broke."), number);

async function numbers(log: EventLog, from: number, signal = new AbortController().signal) {
  const read: number[] = [];
  for await (const { sequence_number } of log.read(from, signal)) read.push(sequence_number);
  return read;
}

describe("EventLog", () => {
  it("returns all events from a given one to every reader, regardless of when it starts", async () => {
    const log = new EventLog();
    log.append([event(0), event(1)]);
    const early = [numbers(log, 0), numbers(log, 1), numbers(log, 3)];
    log.append([event(2)]);
    await Promise.resolve();
    log.append([event(3)]);
    log.close();
    expect(await Promise.all(early)).toEqual([[0, 1, 2, 3], [1, 2, 3], [3]]);
    expect(await numbers(log, 2)).toEqual([2, 3]);
    expect(await numbers(log, 9)).toEqual([]);
  });

  it("releases a disconnected reader", async () => {
    const log = new EventLog();
    const controller = new AbortController();
    log.append([event(0)]);
    const reading = numbers(log, 0, controller.signal);
    controller.abort();
    expect((await reading).length).toBeLessThanOrEqual(1);
  });

  it("serialises to its events, so that they count towards its size", () => {
    const log = new EventLog();
    log.append([event(0)]);
    expect(JSON.parse(JSON.stringify({ log }))).toEqual({ log: [event(0)] });
    expect(log.length).toBe(1);
  });
});
