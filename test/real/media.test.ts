import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ProjectorName } from "../../models/random/projector-shapes.js";
import { flac, jpeg, mp3, progressiveJpeg } from "../support/encoded-media.js";
import { serveMedia } from "../support/media-engine.js";
import { bmp, gif, paints, png, wav } from "../support/media-files.js";
import {
  areAlike,
  audioPart,
  chatAnswer,
  expectAlike,
  imagePart,
  type ScoredAnswer,
  streamedAnswer,
  textPart,
  userSays,
} from "../support/media-requests.js";
import type { RunningApp } from "../support/running-app.js";

const LARGE = { width: 128, height: 100 };
const images = Object.values(paints).map((paint) => imagePart(png(paint, LARGE)));
const sounds = [440, 3000, 70].map((hertz) => audioPart(wav({ hertz })));

const PAIRS: readonly (readonly [ProjectorName, readonly object[]])[] = [
  ["gemma3-projector-tiny", images],
  ["qwen25vl-projector-tiny", images],
  ["pixtral-projector-tiny", images],
  ["whisper-projector-tiny", sounds],
];

/** Greater than the distance of a checkpoint from the end of a prompt. */
const QUESTION = textPart("What is there, and what is it that you are told by what there is?");

/** Maximum tokens before the first message's content. */
const MOST_BEFORE = 24;
/** Maximum tokens after the last message's content, and of a question. */
const MOST_BEHIND = 32;

const cachedOf = ({ usage }: ScoredAnswer) => usage.prompt_tokens_details?.cached_tokens ?? 0;

describe.each(PAIRS)("media of %s", (shape, media) => {
  let server: RunningApp;
  let alone: RunningApp;
  beforeAll(async () => {
    server = await serveMedia(shape, { slots: 8, cacheRamMiB: 64 });
    alone = await serveMedia(shape, { slots: 1 });
  });
  afterAll(() => Promise.all([server.close(), alone.close()]));

  const [first = {}, second = {}, third = {}] = media;
  const asked = (...content: readonly object[]) => ({ messages: [userSays(...content)] });
  const ask = (body: object) => chatAnswer(server.url, body);

  it("determine the answer, which is the same for the same media", async () => {
    const answers: ScoredAnswer[] = [];
    for (const one of media) answers.push(await ask(asked(one, QUESTION)));
    for (const [index, answer] of answers.entries()) {
      expectAlike(await ask(asked(media[index] ?? {}, QUESTION)), answer);
      for (const other of answers.slice(0, index)) expect(areAlike(answer, other)).toBe(false);
    }
  });

  it("are reused in the next turn, but not for other media", async () => {
    const begun = asked(textPart("Now:"), second, QUESTION);
    const { usage } = await ask(begun);
    const turns = (one: object) => ({
      messages: [
        userSays(textPart("Now:"), one, QUESTION),
        { role: "assistant", content: "It is the sea." },
        userSays(textPart("And then?")),
      ],
    });
    const next = await ask(turns(second));
    expect(cachedOf(next)).toBeGreaterThan(usage.prompt_tokens - MOST_BEHIND);
    const other = await ask(turns(third));
    expect(cachedOf(other)).toBeLessThan(MOST_BEFORE);
    expectAlike(next, await chatAnswer(alone.url, turns(second)), "the next turn");
    expectAlike(other, await chatAnswer(alone.url, turns(third)), "with other media");
  });

  it("give 8 concurrent streams the same answers as alone, together with streams without media", async () => {
    const bodies = [
      ...media.map((one) => asked(textPart("All together:"), one, QUESTION)),
      asked(textPart("All together:"), first, second),
      asked(textPart("All together:")),
      asked(textPart("All together, and none of them alone: what is it?")),
      asked(textPart("All together:"), third, textPart("or"), third),
    ];
    const together = await Promise.all(bodies.map((body) => streamedAnswer(server.url, body)));
    let equal = 0;
    for (const [index, answer] of together.entries()) {
      if (expectAlike(answer, await chatAnswer(alone.url, bodies[index] ?? {}))) equal++;
    }
    expect(equal).toBeGreaterThan(bodies.length / 2);
  });
});

describe("media files", () => {
  it.each(["gemma3-projector-tiny", "pixtral-projector-tiny"] as const)(
    "of all image formats are accepted by %s",
    async (shape) => {
      const server = await serveMedia(shape);
      const ask = (file: Buffer) =>
        chatAnswer(server.url, { messages: [userSays(QUESTION, imagePart(file))] });
      expectAlike(await ask(bmp(paints.reds)), await ask(png(paints.reds)));
      for (const file of [gif(paints.reds), jpeg, progressiveJpeg]) await ask(file);
      await server.close();
    },
  );

  it("of all audio formats are accepted", async () => {
    const server = await serveMedia("whisper-projector-tiny");
    for (const file of [wav({ hertz: 440 }), mp3, flac]) {
      await chatAnswer(server.url, { messages: [userSays(QUESTION, audioPart(file))] });
    }
    await server.close();
  });
});
