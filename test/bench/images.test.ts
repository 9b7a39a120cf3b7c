import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { ChatRequest } from "../../bench/client/chat-request.js";
import { pictureUrl, toPng } from "../../bench/prompts/picture.js";
import { PromptWriter } from "../../bench/prompts/prompt-writer.js";
import { imagesMeasures, sendPictures, talkAboutPictures } from "../../bench/scenarios/images.js";
import type { Load } from "../../bench/scenarios/scenario.js";
import { Random } from "../../models/random/random-choices.js";
import { record } from "./records.js";

describe("toPng", () => {
  const png = toPng({ width: 2, height: 1, rgb: Uint8Array.of(255, 0, 0, 0, 0, 255) });
  const signature = 8;
  /** Bytes of a chunk's length and type before its data, and of the checksum after it. */
  const aroundChunk = 12;
  const endChunk = Buffer.from("0000000049454e44ae426082", "hex");

  it("starts with the PNG signature and the dimensions", () => {
    expect(png.subarray(0, signature).toString("hex")).toBe("89504e470d0a1a0a");
    expect(png.toString("latin1", 12, 16)).toBe("IHDR");
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2, 1]);
  });

  it("contains unfiltered pixel rows and ends with the IEND chunk", () => {
    const data = png.subarray(signature + aroundChunk + 13);
    expect(data.toString("latin1", 4, 8)).toBe("IDAT");
    const rows = inflateSync(data.subarray(8, 8 + data.readUInt32BE(0)));
    expect([...rows]).toEqual([0, 255, 0, 0, 0, 0, 255]);
    expect(data.subarray(-endChunk.length).equals(endChunk)).toBe(true);
  });
});

describe("pictureUrl", () => {
  it("returns the same picture for the same seed, and a different one for another seed", () => {
    const [one, same, other] = [1, 1, 2].map((seed) => pictureUrl(new Random(seed), 40));
    expect(one).toMatch(/^data:image\/png;base64,iVBORw0KGgo/);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });
});

/** A load with immediate answers, and the recorded requests. */
function quickLoad() {
  const asked: ChatRequest[] = [];
  const load: Pick<Load, "effort" | "prompts" | "complete" | "signal"> = {
    effort: "quick",
    prompts: new PromptWriter("s", 1),
    signal: new AbortController().signal,
    complete: async (request) => {
      asked.push(request);
      return record();
    },
  };
  return { asked, load };
}

const imagesOf = ({ messages }: ChatRequest) => messages.flatMap(({ image }) => image ?? []);

describe("benchmark chats about pictures", () => {
  it("use a different picture each", async () => {
    const { asked, load } = quickLoad();
    const records = await sendPictures(load);
    expect(new Set(asked.flatMap(imagesOf)).size).toBe(records.length);
  });

  it("continue with the same picture and the same prefix", async () => {
    const { asked, load } = quickLoad();
    const { firstTurns, nextTurns } = await talkAboutPictures(load);
    expect([firstTurns.length, nextTurns.length]).toEqual([2, 2]);
    const [first, next, other] = asked.map(({ messages }) => messages);
    expect(next?.slice(0, 1)).toEqual(first);
    expect(next?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(other?.[0]?.image).not.toBe(first?.[0]?.image);
  });
});

it("the images scenario compares the gaps of streams with those of undisturbed streams", () => {
  const picture = record({ startedAtMs: 1000, chunkTimesMs: [1300], endedAtMs: 2000 });
  const beside = {
    streams: [record({ chunkTimesMs: [0, 100, 200, 900, 1100, 1500, 2500], endedAtMs: 2500 })],
    calm: { fromMs: 0, toMs: 500 },
    pictures: [picture, record({ error: "refused" })],
  };
  const conversations = {
    firstTurns: [record({ chunkTimesMs: [80] })],
    nextTurns: [record({ chunkTimesMs: [20] })],
  };
  expect(imagesMeasures(beside, conversations)).toEqual({
    calmItlP50: 100,
    itlP50: 200,
    calmItlP99: 100,
    itlP99: 400,
    itlRatio: 4,
    calmGap: 100,
    gap: 400,
    calmOutput: 6,
    output: 2,
    ttftP50: 300,
    ttftP99: 300,
    firstTtftP50: 80,
    nextTtftP50: 20,
  });
});
