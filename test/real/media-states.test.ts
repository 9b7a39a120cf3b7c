import { describe, expect, it, onTestFinished } from "vitest";
import type { ProjectorName } from "../../models/random/projector-shapes.js";
import type { NativeCompletion } from "../../src/api/llama-server/answer.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { generate } from "../support/generate.js";
import { openMediaEngine, serveMedia } from "../support/media-engine.js";
import { paints, png, wav } from "../support/media-files.js";
import { answerOf } from "../support/media-requests.js";
import type { RunningApp } from "../support/running-app.js";
import { fileOf } from "../support/some-media.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const LARGE = { width: 128, height: 128 };
const images = [png(paints.reds, LARGE), png(paints.stripes, LARGE)];
const sounds = [wav({ hertz: 440 }), wav({ hertz: 3000 })];

type Pair = readonly [ProjectorName, readonly Buffer[]];

const SEEING: readonly Pair[] = [
  ["gemma3-projector-tiny", images],
  ["qwen25vl-projector-tiny", images],
  ["pixtral-projector-tiny", images],
];
/** Audio model; its encoder takes longer than all others together. */
const HEARING: Pair = ["whisper-projector-tiny", sounds];

const MARKER = "<__media__>";
/** Long enough for a checkpoint before its end. */
const QUESTION = "What is there, and what is it that you are told by what there is? ".repeat(3);
/** Maximum tokens after the saved part of a prompt. */
const MOST_BEHIND = 20;

async function serve(
  shape: ProjectorName,
  overrides: Partial<EngineSettings>,
): Promise<RunningApp> {
  // Slices of fewer than 64 tokens: a reused prefix is then computed as the whole prompt is.
  const server = await serveMedia(shape, { slots: 1, batchSize: 48, ...overrides });
  onTestFinished(() => server.close());
  return server;
}

const complete = ({ url }: RunningApp, file: Buffer, slot = 0) =>
  answerOf<NativeCompletion>(url, "/completion", {
    prompt: {
      prompt_string: `Look at ${MARKER}. ${QUESTION}`,
      multimodal_data: [file.toString("base64")],
    },
    ...{ id_slot: slot, n_predict: 8, temperature: 0, ignore_eos: true },
  });

interface Saved {
  readonly n_saved: number;
}

describe.each(SEEING)("the state of a prompt for %s", (shape, [file, other]) => {
  if (file === undefined || other === undefined) throw new Error("there are two files");

  it("is specific to its file, and is saved to memory and restored", async () => {
    const server = await serve(shape, { cacheRamMiB: 64 });
    const first = await complete(server, file);
    const second = await complete(server, other);
    expect(second.tokens_evaluated).toBe(first.tokens_evaluated);
    expect(second.content).not.toBe(first.content);
    expect(second.tokens_cached).toBeLessThan(MOST_BEHIND);
    const again = await complete(server, file);
    expect(again.content).toBe(first.content);
    expect(again.tokens_cached).toBeGreaterThan(first.tokens_evaluated - MOST_BEHIND);
  });

  it("is reused in another slot", async () => {
    const server = await serve(shape, { slots: 2, cacheRamMiB: 64 });
    const first = await complete(server, file, 0);
    const second = await complete(server, file, 1);
    expect([first.id_slot, second.id_slot]).toEqual([0, 1]);
    expect(second.content).toBe(first.content);
    expect(second.tokens_cached).toBeGreaterThan(first.tokens_evaluated - MOST_BEHIND);
  });

  it("is stored on disk and reused after a restart", async () => {
    const folder = await temporaryFolder();
    const settings = { cacheRamMiB: 8, cacheDir: folder, cacheDiskMiB: 64 };
    const earlier = await openMediaEngine(shape, { slots: 1, batchSize: 48, ...settings });
    const messages = [
      {
        role: "user" as const,
        content: [
          { type: "media" as const, field: "a-file", content: fileOf(file) },
          { type: "text" as const, text: QUESTION },
        ],
      },
    ];
    const before = await generate(earlier, messages);
    await earlier.close();
    const later = await openMediaEngine(shape, { slots: 1, batchSize: 48, ...settings });
    onTestFinished(() => later.close());
    const after = await generate(later, messages);
    expect(after.text).toBe(before.text);
    const promptTokens = before.usage?.promptTokens ?? Number.NaN;
    expect(after.usage?.cachedTokens).toBeGreaterThan(promptTokens - MOST_BEHIND);
  });

  it("can be saved by name, and restored in another process", async () => {
    const slotSavePath = await temporaryFolder();
    const filename = "seen.bin";
    const earlier = await serve(shape, { slotSavePath });
    const first = await complete(earlier, file);
    const saved = await answerOf<Saved>(earlier.url, "/slots/0?action=save", { filename });
    expect(saved.n_saved).toBeGreaterThanOrEqual(first.tokens_evaluated);
    const later = await serve(shape, { slotSavePath });
    const restored = await answerOf(later.url, "/slots/0?action=restore", { filename });
    expect(restored).toMatchObject({ n_restored: saved.n_saved });
    const again = await complete(later, file);
    expect(again.content).toBe(first.content);
    const unlike = await complete(later, other);
    expect(unlike.tokens_cached).toBeLessThan(MOST_BEHIND);
    expect(unlike.content).not.toBe(first.content);
  });
});

describe("cancelling an answer", () => {
  it.each([...SEEING, HEARING])(
    "at any position of its media leaves the engine usable: %s",
    async (shape, [file, other]) => {
      if (file === undefined || other === undefined) throw new Error("there are two files");
      const engine = await openMediaEngine(shape, { slots: 2, batchSize: 48 });
      onTestFinished(() => engine.close());
      const ask = (one: Buffer, id?: string) =>
        generate(
          engine,
          [
            {
              role: "user",
              content: [
                { type: "text", text: "Look: " },
                { type: "media", field: "a-file", content: fileOf(one) },
                { type: "text", text: QUESTION },
              ],
            },
          ],
          { ...(id !== undefined && { id }), stopping: { maxTokens: 6 } },
        );
      const whole = await ask(file);
      for (const turns of [0, 1, 4, 16, 64, 256]) {
        const id = `cancelled after ${turns}`;
        // Content that has not been encoded yet.
        const fresh = Buffer.concat([turns % 3 === 0 ? file : other, Buffer.from(id)]);
        const asked = ask(fresh, id);
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        engine.cancel(id);
        expect(["cancelled", "length"]).toContain((await asked).reason);
      }
      expect((await ask(file)).text).toBe(whole.text);
      const [one, two] = await Promise.all([ask(file), ask(other)]);
      expect(one.text).toBe(whole.text);
      expect(two.text).not.toBe(whole.text);
    },
  );
});
