import { describe, expect, test } from "vitest";
import type { ChoiceEvent, GenerationEvent } from "../../src/core/generation-event.js";
import { EventChannel } from "../../src/queue/event-channel.js";
import { collectAll, delta, finished, microtasksDone, of } from "../support/generation-events.js";

describe("EventChannel", () => {
  test("delivers events that were pushed before the consumer started", async () => {
    const channel = new EventChannel(1);
    const events = [of(delta("a")), of(delta("b")), of(finished)];
    for (const event of events) channel.push(event);
    expect(await collectAll(channel)).toEqual(events);
  });

  test("delivers events as they are pushed", async () => {
    const channel = new EventChannel(1);
    const received: ChoiceEvent[] = [];
    const consumer = (async () => {
      for await (const event of channel) received.push(event);
    })();
    for (const event of [of(delta("a")), of(delta("b")), of(finished)]) {
      await microtasksDone();
      channel.push(event);
      await microtasksDone();
      expect(received.at(-1)).toBe(event);
    }
    await consumer;
    expect(received).toHaveLength(3);
  });

  test("drops no events while the consumer is busy", async () => {
    const channel = new EventChannel(1);
    channel.push(of(delta("a")));
    const received: GenerationEvent[] = [];
    for await (const { event } of channel) {
      received.push(event);
      if (received.length === 1) {
        await microtasksDone();
        channel.push(of(delta("b")));
        channel.push(of(delta("c")));
      }
      if (received.length === 3) {
        channel.push(of(finished));
        await microtasksDone();
      }
    }
    expect(received).toEqual([delta("a"), delta("b"), delta("c"), finished]);
  });

  test.each<GenerationEvent>([finished, { type: "cancelled" }])(
    "ends with the final event $type, and ignores later events",
    async (final) => {
      const channel = new EventChannel(1);
      for (const event of [delta("a"), final, delta("b"), finished]) channel.push(of(event));
      expect(await collectAll(channel)).toEqual([of(delta("a")), of(final)]);
    },
  );

  test("delivers the events of several choices as they arrive, until each has ended", async () => {
    const channel = new EventChannel(3);
    const events = [
      of(delta("a"), 1),
      of(delta("b"), 0),
      of(finished, 1),
      of(delta("c"), 2),
      of({ type: "cancelled" }, 2),
      of(delta("d"), 0),
      of(finished, 0),
    ];
    for (const event of events) channel.push(event);
    expect(await collectAll(channel)).toEqual(events);
  });

  test("stays open until every choice has ended", async () => {
    const channel = new EventChannel(2);
    channel.push(of(finished, 1));
    let ended = false;
    const consumer = collectAll(channel).then(() => {
      ended = true;
    });
    await microtasksDone();
    expect(ended).toBe(false);
    channel.push(of(finished, 0));
    await consumer;
  });

  test("allows a consumer to stop early", async () => {
    const channel = new EventChannel(1);
    channel.push(of(delta("a")));
    channel.push(of(delta("b")));
    for await (const event of channel) {
      expect(event).toEqual(of(delta("a")));
      break;
    }
    channel.push(of(finished));
  });
});
