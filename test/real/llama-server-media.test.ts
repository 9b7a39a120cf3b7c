import { describe, expect, it, onTestFinished } from "vitest";
import type { ProjectorName } from "../../models/random/projector-shapes.js";
import { flac, jpeg, mp3, progressiveJpeg } from "../support/encoded-media.js";
import { llamaServerPath, startLlamaServer } from "../support/llama-server.js";
import { serveMedia } from "../support/media-engine.js";
import { bmp, gif, paints, png, wav } from "../support/media-files.js";
import {
  audioPart,
  chatAnswer,
  expectAlike,
  imagePart,
  type ScoredAnswer,
  streamedAnswer,
  textPart,
  userSays,
} from "../support/media-requests.js";
import { modelWithProjector } from "../support/random-models.js";

const images = [
  png(paints.reds),
  png(paints.stripes, { width: 100, height: 37 }),
  png(paints.rings, { width: 30, height: 90 }),
  ...[jpeg, progressiveJpeg, gif(paints.stripes), bmp(paints.dark)],
].map(imagePart);
const wavs = [wav({ hertz: 440 }), wav({ hertz: 3000, seconds: 0.1 })];
const sounds = [...wavs, wavs[0] as Buffer, mp3, flac].map((file) => audioPart(file));

const PAIRS: readonly (readonly [ProjectorName, readonly object[]])[] = [
  ["gemma3-projector-tiny", images],
  ["qwen25vl-projector-tiny", images],
  ["pixtral-projector-tiny", images],
  ["whisper-projector-tiny", sounds],
];

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Get the weather of a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

const ANSWERED = { role: "assistant", content: "It is the sea." };
const SYSTEM = { role: "system", content: "The sea is blue, the ship is old. ".repeat(4) };

/** Requests with media at all possible positions. */
function requestsWith([first = {}, second = {}, third = {}, ...others]: readonly object[]) {
  const question = textPart("What is it?");
  const all: Readonly<Record<string, object>> = {
    alone: { messages: [userSays(first)] },
    "behind a text": { messages: [userSays(question, second)] },
    "before a text": { messages: [userSays(third, question)] },
    "two in a message": { messages: [userSays(first, textPart("or"), second, question)] },
    "two that follow each other": { messages: [userSays(second, first)] },
    "in the second turn": {
      messages: [userSays(textPart("Hi!")), ANSWERED, userSays(question, first)],
    },
    "in each turn": { messages: [userSays(first), ANSWERED, userSays(second)] },
    "behind a shared text": { messages: [SYSTEM, userSays(question, first)] },
    "behind the same text": { messages: [SYSTEM, userSays(question, second)] },
    "with tools": { messages: [userSays(question, first)], tools: [weather] },
  };
  const ofOtherFormats = others.map((part, index): [string, object] => [
    `of another format, ${index}`,
    { messages: [userSays(question, part)] },
  ]);
  return [...Object.entries(all), ...ofOtherFormats];
}

/** After a tie, the rest of an answer is not compared. */
const MOST = 0.6;

describe.runIf(llamaServerPath !== undefined)(
  "compared with llama-server",
  { timeout: 120_000 },
  () => {
    it.each(PAIRS)("the same media give the same tokens: %s", async (shape, media) => {
      const { model, projector } = modelWithProjector(shape);
      const theirs = await startLlamaServer([
        ...["-m", model, "--mmproj", projector, "-ctk", "f32", "-ctv", "f32"],
      ]);
      onTestFinished(theirs.stop);
      const ours = await serveMedia(shape, { slots: 8, batchSize: 512 });
      onTestFinished(() => ours.close());

      const asked: { name: string; body: object; expected: ScoredAnswer }[] = [];
      for (const [name, body] of requestsWith(media)) {
        const expected = await chatAnswer(theirs.url, { ...body, cache_prompt: false });
        asked.push({ name, body, expected });
      }
      const answersOf = {
        whole: (body: object) => chatAnswer(ours.url, body),
        streamed: (body: object) => streamedAnswer(ours.url, body),
      };
      for (const [form, answerTo] of Object.entries(answersOf)) {
        let equal = 0;
        const compare = (actual: ScoredAnswer, index: number) => {
          const { name, expected } = asked[index] ?? expect.fail();
          if (expectAlike(actual, expected, `${name}, ${form}`)) equal++;
        };
        for (const [index, { body }] of asked.entries()) compare(await answerTo(body), index);
        const together = await Promise.all(asked.map(({ body }) => answerTo(body)));
        for (const [index, actual] of together.entries()) compare(actual, index);
        expect(equal).toBeGreaterThan(2 * asked.length * MOST);
      }
      expect(new Set(asked.map(({ expected }) => JSON.stringify(expected.tokens))).size).toBe(
        asked.length,
      );
    });
  },
);
