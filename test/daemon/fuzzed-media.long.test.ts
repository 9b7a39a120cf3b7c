import { platform } from "node:os";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import type { ProjectorName } from "../../models/random/projector-shapes.js";
import { Random } from "../../models/random/random-choices.js";
import { flac, jpeg, mp3, progressiveJpeg } from "../support/encoded-media.js";
import { BORDERS, HOSTILE_IMAGES, HOSTILE_SOUNDS } from "../support/hostile-media.js";
import { bmp, gif, paints, png, wav } from "../support/media-files.js";
import { audioPart, imagePart, post, userSays } from "../support/media-requests.js";
import { modelWithProjector } from "../support/random-models.js";
import { SEVERAL_STARTS, start } from "./daemon.js";
import { chat, engineOf, serving } from "./engine-of.js";

const HOSTILE = 250;
const CHATS = "/v1/chat/completions";
/** Number of concurrent requests. */
const CLIENTS = 4;
const STREAMS = 8;
const SMALL = { width: 12, height: 9 };
const SLOTS = ["--parallel", "12", "--context-size", "24000"];

const IMAGES = [png, bmp, gif].map((write) => write(paints.reds, SMALL));
const SOUNDS = [wav({ hertz: 440, seconds: 0.02 }), mp3, flac];
const raw = { ...SMALL, channels: 3 } as const;
const vips = sharp(Buffer.alloc(3 * SMALL.width * SMALL.height, 77), { raw });

interface Case {
  readonly shape: ProjectorName;
  readonly sound: () => Promise<readonly Buffer[]>;
  /** Number of mutated files. */
  readonly mutations: number;
  readonly hostile: readonly ((random: Random) => Buffer)[];
  readonly partOf: (file: Buffer) => object;
}

const CASES: readonly Case[] = [
  {
    shape: "pixtral-projector-tiny",
    sound: async () => [
      ...[...IMAGES, jpeg, progressiveJpeg],
      ...[await vips.clone().webp().toBuffer(), await vips.clone().avif().toBuffer()],
    ],
    mutations: 1000,
    hostile: HOSTILE_IMAGES,
    partOf: imagePart,
  },
  {
    shape: "whisper-projector-tiny",
    sound: async () => SOUNDS,
    // A sound took more than three times as long as an image: each is encoded as 30 seconds.
    mutations: 300,
    hostile: HOSTILE_SOUNDS,
    partOf: audioPart,
  },
];

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

/**
 * Streams one answer after another, each of which must complete.
 * @returns the number of answers
 */
async function streamUntil(done: AbortSignal, url: string): Promise<number> {
  let answers = 0;
  while (!done.aborted) {
    const body = { stream: true, ignore_eos: true, max_tokens: 500 };
    const { text } = await told(await chat(url, body));
    expect(text).toMatch(/"finish_reason":"length".*\n\ndata: \[DONE\]\n\n$/s);
    answers += 1;
  }
  return answers;
}

describe.runIf(platform() === "linux")(
  "malformed files during eight streams",
  { timeout: 10 * SEVERAL_STARTS },
  () => {
    it.each(CASES)(
      "are answered or rejected without ending a stream or the engine: $shape",
      async (given) => {
        const { shape, mutations, hostile, partOf } = given;
        const sound = await given.sound();
        const random = new Random(11);
        const files = [
          ...Array.from({ length: mutations }, () => mutated(random.pick(sound), random)),
          ...Array.from({ length: HOSTILE }, (_, index) =>
            (hostile[index % hostile.length] as (typeof hostile)[number])(random),
          ),
        ];
        const { model, projector } = modelWithProjector(shape);
        const limits = ["--max-audio-seconds", "5", "--media-decode-seconds", "1"];
        const daemon = await start([...serving(model), "--mmproj", projector, ...limits, ...SLOTS]);
        const engine = engineOf(daemon);
        const done = new AbortController();
        const streams = Array.from({ length: STREAMS }, () => streamUntil(done.signal, daemon.url));
        const ask = (file: Buffer, path = CHATS) =>
          post(daemon.url, path, { messages: [userSays(partOf(file))], max_tokens: 1 });
        const statuses = new Set<number>();
        const left = files.entries();
        const askAll = async () => {
          for (const [index, file] of left) {
            // Counting tokens also decodes the file, and is faster than an answer.
            const { status, text } = await told(
              await ask(file, index % 8 === 0 ? CHATS : `${CHATS}/input_tokens`),
            );
            const about = `file ${index}, ${file.toString("base64").slice(0, 2000)}: ${text}`;
            expect([200, 400], about).toContain(status);
            // The size declared in a file may not fit.
            if (status === 400)
              expect(text, about).toMatch(/messages\.0\.content\.0|context_length/);
            statuses.add(status);
          }
        };
        await Promise.all(Array.from({ length: CLIENTS }, askAll));
        expect(statuses).toEqual(new Set([200, 400]));
        for (const file of sound) expect((await ask(file)).status).toBe(200);
        expect(engineOf(daemon)).toBe(engine);
        done.abort();
        expect((await Promise.all(streams)).every((answers) => answers > 0)).toBe(true);
      },
    );
  },
);
