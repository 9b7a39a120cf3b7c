import { platform } from "node:os";
import { deflateSync } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { jpegOfScans } from "../../models/random/slow-images.js";
import { eventually } from "../support/eventually.js";
import { floatWav, paints, png, pngOf, wavOf } from "../support/media-files.js";
import {
  audioPart,
  chatAnswer,
  expectAlike,
  imagePart,
  post,
  textPart,
  userSays,
} from "../support/media-requests.js";
import { modelWithProjector } from "../support/random-models.js";
import { childrenWith } from "./child-processes.js";
import { type Daemon, SEVERAL_STARTS, start } from "./daemon.js";
import { beginStream, engineOf, requestsInFlight, serving } from "./engine-of.js";

const CHATS = "/v1/chat/completions";
/** Half a gigabyte, far more than a decoder may allocate for an image of a million pixels. */
const EXCESS_BYTES = 2 ** 29;

/** Computes for minutes unless stopped. */
const endless = jpegOfScans({ width: 6000, height: 6000 }, 20_000);
/** Nine by nine pixels, followed by many more bytes. */
const withExcess = () => pngOf({ width: 9, height: 9 }, deflateSync(Buffer.alloc(EXCESS_BYTES)));
const small = userSays(textPart("What is it?"), imagePart(png(paints.rings)));

const startSeeing = (...flags: readonly string[]) => {
  const { model, projector } = modelWithProjector("pixtral-projector-tiny");
  const context = ["--context-size", "50000", "--parallel", "2"];
  return start([...serving(model), "--mmproj", projector, ...context, ...flags]);
};

/** Decoder processes of a daemon's engine. */
const decodersOf = (daemon: Daemon) =>
  childrenWith({ process: { pid: engineOf(daemon) } }, /ggufd media/);

const askAbout = ({ url }: Daemon, part: object, signal?: AbortSignal) =>
  post(url, CHATS, { messages: [userSays(part)], max_tokens: 1 }, signal);

async function refusalOf(response: Promise<Response>) {
  const { status } = await response;
  const { error } = (await (await response).json()) as { error: { message: string } };
  return { status, message: error.message };
}

describe.runIf(platform() === "linux")(
  "a file that exceeds the limits of its decoder or kills it",
  { timeout: SEVERAL_STARTS },
  () => {
    it("is rejected if decoding takes too long, and streams and the engine continue", async () => {
      const daemon = await startSeeing("--media-decode-seconds", "1");
      const engine = engineOf(daemon);
      const expected = await chatAnswer(daemon.url, { messages: [small] });
      const stream = await beginStream(daemon.url);
      expect(await refusalOf(askAbout(daemon, imagePart(endless)))).toEqual({
        status: 400,
        message: expect.stringMatching(
          /image_url\.url: expected a file that decodes within 1 s of computing time, got one that takes longer/,
        ),
      });
      expectAlike(await chatAnswer(daemon.url, { messages: [small] }), expected);
      expect(engineOf(daemon)).toBe(engine);
      await requestsInFlight(daemon.url, { running: 1, waiting: 0 });
      daemon.process.kill("SIGKILL");
      await stream.text.catch(() => undefined);
    });

    it("is rejected if decoding takes too much memory", async () => {
      const daemon = await startSeeing("--max-image-megapixels", "1");
      const { status, message } = await refusalOf(askAbout(daemon, imagePart(withExcess())));
      expect([status, message]).toEqual([400, expect.stringMatching(/memory|broken/)]);
      expect((await askAbout(daemon, imagePart(png(paints.reds)))).status).toBe(200);
    });

    it("is rejected if its decoder is killed, and another decoder decodes the next file", async () => {
      const daemon = await startSeeing();
      const refused = refusalOf(askAbout(daemon, imagePart(endless)));
      await eventually(() => expect(decodersOf(daemon)).toHaveLength(1));
      for (const decoder of decodersOf(daemon)) process.kill(decoder, "SIGKILL");
      expect(await refused).toMatchObject({
        status: 400,
        message: expect.stringContaining("got one that crashed the decoder process (SIGKILL"),
      });
      expect((await askAbout(daemon, imagePart(png(paints.reds)))).status).toBe(200);
    });

    it("is aborted when its client disconnects", async () => {
      const daemon = await startSeeing();
      const client = new AbortController();
      const asked = askAbout(daemon, imagePart(endless), client.signal).catch(() => "hung up");
      await eventually(() => expect(decodersOf(daemon)).toHaveLength(1));
      client.abort();
      expect(await asked).toBe("hung up");
      await eventually(() => expect(decodersOf(daemon)).toHaveLength(0));
      await requestsInFlight(daemon.url, { running: 0, waiting: 0 });
    });

    it("does not delay other files", async () => {
      const daemon = await startSeeing();
      const client = new AbortController();
      const asked = askAbout(daemon, imagePart(endless), client.signal).catch(() => undefined);
      await eventually(() => expect(decodersOf(daemon)).toHaveLength(1));
      expect((await askAbout(daemon, imagePart(png(paints.reds)))).status).toBe(200);
      client.abort();
      await asked;
    });

    it("is no longer decoded after the engine is killed", async () => {
      const daemon = await startSeeing();
      const engine = engineOf(daemon);
      const asked = askAbout(daemon, imagePart(endless)).catch(() => undefined);
      await eventually(() => expect(decodersOf(daemon)).toHaveLength(1));
      const [decoder = 0] = decodersOf(daemon);
      process.kill(engine, "SIGKILL");
      await eventually(() => expect(() => process.kill(decoder, 0)).toThrow("ESRCH"));
      await asked;
    });
  },
);

describe.runIf(platform() === "linux")(
  "audio with few samples",
  { timeout: SEVERAL_STARTS },
  () => {
    it("is rejected or answered, and the engine continues", async () => {
      const { model, projector } = modelWithProjector("whisper-projector-tiny");
      const daemon = await start([...serving(model), "--mmproj", projector]);
      const engine = engineOf(daemon);
      const files = [0, 1, 2, 3, 199, 200, 201].map((samples) => wavOf(Buffer.alloc(2 * samples)));
      const statuses = [];
      for (const file of [...files, floatWav(new Float32Array(1))]) {
        statuses.push((await askAbout(daemon, audioPart(file))).status);
      }
      expect(statuses).toEqual([400, 400, 200, 200, 200, 200, 200, 400]);
      expect(engineOf(daemon)).toBe(engine);
    });
  },
);

describe.runIf(platform() === "linux")("an image", { timeout: SEVERAL_STARTS }, () => {
  it.each(["webp", "avif"] as const)("may be a %s, including an animated one", async (format) => {
    const daemon = await startSeeing();
    const picture = png(paints.reds, { width: 64, height: 64 });
    const lossless = await sharp(picture).toFormat(format, { lossless: true }).toBuffer();
    const pages = await sharp([picture, png(paints.rings, { width: 64, height: 64 })], {
      join: { animated: true },
    })
      .webp({ lossless: true })
      .toBuffer();
    const [expected, ...answers] = await Promise.all(
      [picture, lossless, ...(format === "webp" ? [pages] : [])].map((file) =>
        chatAnswer(daemon.url, { messages: [userSays(imagePart(file))] }),
      ),
    );
    for (const answer of answers) expectAlike(answer, expected as typeof answer);
  });
});
