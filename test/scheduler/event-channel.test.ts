import { describe, expect, test } from "vitest";
import type { GenerationEvent } from "../../src/core/generation-event.js";
import { EventChannel } from "../../src/scheduler/event-channel.js";
import { collect, delta, finished, microtasksDone } from "./events.js";

describe("EventChannel", () => {
  test("delivers events that were pushed before the consumer started", async () => {
    const channel = new EventChannel();
    const events = [delta("a"), delta("b"), finished];
    for (const event of events) channel.push(event);
    expect(await collect(channel)).toEqual(events);
  });

  test("delivers events as they are pushed", async () => {
    const channel = new EventChannel();
    const received: GenerationEvent[] = [];
    const consumer = (async () => {
      for await (const event of channel) received.push(event);
    })();
    for (const event of [delta("a"), delta("b"), finished]) {
      await microtasksDone();
      channel.push(event);
      await microtasksDone();
      expect(received.at(-1)).toBe(event);
    }
    await consumer;
    expect(received).toHaveLength(3);
  });

  test("loses no events while the consumer is busy", async () => {
    const channel = new EventChannel();
    channel.push(delta("a"));
    const received: GenerationEvent[] = [];
    for await (const event of channel) {
      received.push(event);
      if (received.length === 1) {
        await microtasksDone();
        channel.push(delta("b"));
        channel.push(delta("c"));
      }
      if (received.length === 3) {
        channel.push(finished);
        await microtasksDone();
      }
    }
    expect(received).toEqual([delta("a"), delta("b"), delta("c"), finished]);
  });

  test.each<GenerationEvent>([finished, { type: "cancelled" }])(
    "ends with the final event $type, whatever is pushed after it",
    async (final) => {
      const channel = new EventChannel();
      for (const event of [delta("a"), final, delta("b"), finished]) channel.push(event);
      expect(await collect(channel)).toEqual([delta("a"), final]);
    },
  );

  test("lets a consumer stop early", async () => {
    const channel = new EventChannel();
    channel.push(delta("a"));
    channel.push(delta("b"));
    for await (const event of channel) {
      expect(event).toEqual(delta("a"));
      break;
    }
    channel.push(finished);
  });
});
