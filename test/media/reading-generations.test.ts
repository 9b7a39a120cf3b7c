import { describe, expect, test } from "vitest";
import type { GenerationRequest } from "../../src/core/generation-request.js";
import type { Generation, GenerationService } from "../../src/core/model-directory.js";
import { MediaReader } from "../../src/media/media-reader.js";
import { ReadingGenerations } from "../../src/media/reading-generations.js";
import { someCaller } from "../support/callers.js";
import { eventually } from "../support/eventually.js";
import { rejection } from "../support/refusal.js";

const limits = { files: 4, fileBytes: 100, totalBytes: 400 };

function requestWith(content: GenerationRequest["prompt"]): GenerationRequest {
  const stopping = { minTokens: 0, stop: [], ignoreEos: false };
  return { id: "1", prompt: content, sampling: {}, stopping, choices: 2 };
}

const textRequest = requestWith({ type: "text", text: "Hi" });
const mediaRequest = requestWith({
  type: "media",
  parts: [{ type: "media", field: "file", content: { type: "url", url: "https://a" } }],
});

/** Generations whose files arrive on demand. */
function serve() {
  const submitted: GenerationRequest[] = [];
  const generation: Generation = { promptTokens: 1, events: (async function* () {})() };
  const generations: GenerationService = {
    submit: async (requests) => {
      submitted.push(...requests);
      return generation;
    },
    countTokens: async () => 7,
  };
  const fetches: ((file: Buffer) => void)[] = [];
  const fetch = (_url: string, _field: string, signal: AbortSignal) =>
    new Promise<Buffer>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      fetches.push(resolve);
    });
  const reader = new MediaReader(limits, { fetcher: { fetch } });
  const reading = new ReadingGenerations(generations, {
    reader,
    getAcceptedKinds: () => ["image"],
  });
  const fetched = () => eventually(() => expect(fetches).toHaveLength(1));
  return { reading, submitted, generation, fetches, fetched };
}

describe("requests with media", () => {
  test("are in flight while their media are read, then submitted", async () => {
    const { reading, submitted, generation, fetches, fetched } = serve();
    const admitted = reading.submit([mediaRequest], someCaller());
    await fetched();
    expect(reading.inFlight).toBe(1);
    const idle = reading.whenIdle();
    expect(submitted).toEqual([]);
    fetches[0]?.(Buffer.from("x"));
    expect(await admitted).toBe(generation);
    await idle;
    expect(reading.inFlight).toBe(0);
    expect(submitted).toMatchObject([{ prompt: { parts: [{ content: { type: "file" } }] } }]);
  });

  test("are not submitted or reported if the client has disconnected", async () => {
    const { reading, submitted, fetched } = serve();
    const client = new AbortController();
    const admitted = reading.submit(
      [mediaRequest, textRequest],
      someCaller({ signal: client.signal }),
    );
    await fetched();
    client.abort();
    const { events } = await admitted;
    const ends = [];
    for await (const end of events) ends.push(end);
    expect(ends).toEqual([0, 1, 2, 3].map((choice) => ({ choice, event: { type: "cancelled" } })));
    expect(submitted).toEqual([]);
  });

  test("are rejected on shutdown, as are later requests", async () => {
    const { reading, fetched } = serve();
    const refused = rejection(reading.submit([mediaRequest], someCaller()));
    await fetched();
    reading.endAll();
    expect((await refused).code).toBe("shutting_down");
    const later = rejection(reading.countTokens(mediaRequest, someCaller()));
    expect((await later).code).toBe("shutting_down");
  });
});

test("requests without media are passed on unchanged", async () => {
  const { reading, submitted, generation } = serve();
  expect(await reading.submit([textRequest], someCaller())).toBe(generation);
  expect(await reading.countTokens(textRequest, someCaller())).toBe(7);
  expect(submitted).toEqual([textRequest]);
  expect(submitted[0]).toBe(textRequest);
});
