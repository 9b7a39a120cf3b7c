import { platform } from "node:os";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { paints, png, pngOf } from "../support/media-files.js";
import {
  chatAnswer,
  expectAlike,
  imagePart,
  post,
  textPart,
  userSays,
} from "../support/media-requests.js";
import { modelWithProjector } from "../support/random-models.js";
import { threadPrioritiesOf } from "./child-processes.js";
import { SEVERAL_STARTS, start } from "./daemon.js";
import { chat, engineOf, readinessOf, requestsInFlight, serving } from "./engine-of.js";

const { model, projector } = modelWithProjector("pixtral-projector-tiny");

/** So large that a machine is busy with it for long; its file is small. */
const LARGE = { width: 6200, height: 6200 };
const large = pngOf(LARGE, deflateSync(Buffer.alloc(LARGE.height * (1 + 3 * LARGE.width))));

const small = userSays(textPart("What is it?"), imagePart(png(paints.rings)));

describe.runIf(platform() === "linux")(
  "when the engine's process ends",
  { timeout: SEVERAL_STARTS },
  () => {
    it("while it decodes an image, that one is not decoded again, and others are answered", async () => {
      const daemon = await start([
        ...[...serving(model), "--mmproj", projector],
        ...["--context-size", "50000", "--parallel", "2"],
      ]);
      const { url, output } = daemon;
      const engine = engineOf(daemon);
      const expected = await chatAnswer(url, { messages: [small] });
      const beside = chat(url, { max_tokens: 2000, ignore_eos: true });
      await requestsInFlight(url, { running: 1, waiting: 0 });
      const decoded = post(url, "/v1/chat/completions", {
        ...{ messages: [userSays(imagePart(large))], max_tokens: 1 },
      });
      // Files are decoded behind steps; encoding, by a thread of the same name, is not.
      await eventually(() => expect(threadPrioritiesOf(engine)["ggufd media"]).toEqual([10]));
      process.kill(engine, "SIGKILL");
      const { status, headers } = await decoded;
      expect(status).toBe(500);
      expect(headers.get("x-should-retry")).toBe("false");
      expect(await (await decoded).json()).toMatchObject({ error: { code: "crashes_engine" } });
      await eventually(async () => expect((await readinessOf(url)).status).toBe(200));
      expect(engineOf(daemon)).not.toBe(engine);
      expectAlike(await chatAnswer(url, { messages: [small] }), expected);
      expect(await (await beside).json()).toMatchObject({ usage: { completion_tokens: 2000 } });
      expect(output.stderr).toContain("the engine's process has ended (SIGKILL");
    });
  },
);
