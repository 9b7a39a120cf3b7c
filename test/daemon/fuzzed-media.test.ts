import { platform } from "node:os";
import { describe, expect, it } from "vitest";
import type { ProjectorName } from "../../models/random/projector-shapes.js";
import { Random } from "../../models/random/random-choices.js";
import { flac, jpeg, mp3, progressiveJpeg } from "../support/encoded-media.js";
import { bmp, gif, paints, png, wav } from "../support/media-files.js";
import { audioPart, imagePart, post, userSays } from "../support/media-requests.js";
import { modelWithProjector } from "../support/random-models.js";
import { SEVERAL_STARTS, start } from "./daemon.js";
import { engineOf, serving } from "./engine-of.js";

const FILES = 250;
const CHATS = "/v1/chat/completions";
/** Requests at once. */
const CLIENTS = 4;
const SMALL = { width: 12, height: 9 };

const IMAGES = [png, bmp, gif].map((write) => write(paints.reds, SMALL));
const SOUNDS = [wav({ hertz: 440, seconds: 0.02 }), mp3, flac];

const CASES: readonly (readonly [ProjectorName, readonly Buffer[], (file: Buffer) => object])[] = [
  ["pixtral-projector-tiny", [...IMAGES, jpeg, progressiveJpeg], imagePart],
  ["whisper-projector-tiny", SOUNDS, audioPart],
];

/** Numbers at the borders of what fields hold. */
const BORDERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/** A file with some faults. */
function mutated(sound: Buffer, random: Random): Buffer {
  const file = Buffer.from(sound);
  const place = () =>
    random.int(0, (random.chance(0.5) ? Math.min(64, file.length) : file.length) - 1);
  const scatter = () => {
    file[place()] = random.int(0, 255);
    return file;
  };
  const setNumber = () => {
    const at = Math.min(place(), file.length - 4);
    const value = random.pick(BORDERS);
    if (random.chance(0.5)) file.writeUInt32LE(value, at);
    else file.writeUInt32BE(value, at);
    return file;
  };
  const cut = () => file.subarray(0, place());
  const repeat = () => {
    const [from, to] = [place(), place()].toSorted((one, other) => one - other);
    return Buffer.concat([file.subarray(0, to), file.subarray(from)]);
  };
  const faults = [scatter, scatter, scatter, setNumber, setNumber, cut, repeat];
  const [last] = Array.from({ length: random.int(1, 3) }, () => random.pick(faults)()).slice(-1);
  return last ?? file;
}

async function told(response: Response) {
  return { status: response.status, text: await response.text() };
}

describe.runIf(platform() === "linux")(
  "files with faults, in one process",
  { timeout: SEVERAL_STARTS },
  () => {
    it.each(CASES)("are answered or refused: %s", async (shape, sound, partOf) => {
      const random = new Random(11);
      const files = Array.from({ length: FILES }, () => mutated(random.pick(sound), random));
      const { model, projector } = modelWithProjector(shape);
      const limits = ["--max-audio-seconds", "5"];
      const daemon = await start([...serving(model), "--mmproj", projector, ...limits]);
      const engine = engineOf(daemon);
      const ask = (file: Buffer, path = CHATS) =>
        post(daemon.url, path, { messages: [userSays(partOf(file))], max_tokens: 1 });
      const statuses = new Set<number>();
      const left = files.entries();
      const askAll = async () => {
        for (const [index, file] of left) {
          // Counting decodes a file as well, and is quicker than an answer.
          const { status, text } = await told(
            await ask(file, index % 8 === 0 ? CHATS : `${CHATS}/input_tokens`),
          );
          const about = `file ${index}, ${file.toString("base64")}: ${text}`;
          expect([200, 400], about).toContain(status);
          // What a file says of its size may be more than fits.
          if (status === 400) expect(text, about).toMatch(/messages\.0\.content\.0|context_length/);
          statuses.add(status);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, askAll));
      expect(statuses).toEqual(new Set([200, 400]));
      for (const file of sound) expect((await ask(file)).status).toBe(200);
      expect(engineOf(daemon)).toBe(engine);
    });
  },
);
