import { expect, test } from "vitest";
import { readEventData } from "../../../src/cli/daemon/event-data.js";

async function dataOf(...chunks: readonly Uint8Array[]): Promise<string[]> {
  async function* bytes() {
    yield* chunks;
  }
  const all: string[] = [];
  for await (const data of readEventData(bytes())) all.push(data);
  return all;
}

test("events do not depend on chunk boundaries", async () => {
  const bytes = Buffer.from('data: {"text":"Grüße 🙂"}\n\n: ping\n\ndata:[DONE]\r\n\r\n');
  const expected = ['{"text":"Grüße 🙂"}', "[DONE]"];
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(await dataOf(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(expected);
  }
});

test("an event with an incomplete last line is ignored", async () => {
  expect(await dataOf(Buffer.from("data: 1\ndata: 2"))).toEqual(["1"]);
});
