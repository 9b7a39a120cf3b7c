import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { NativeCompletion } from "../../src/api/llama-server/answer.js";
import type { EngineSettings } from "../../src/engine/engine-settings.js";
import { openEngine } from "../support/generate.js";
import { tinyModel } from "../support/random-models.js";
import { type RunningApp, runApp } from "../support/running-app.js";

/** f32, and slices of fewer than 64 tokens: a reused prefix is then computed as the whole prompt is. */
const settings = {
  kvCacheTypes: { keys: "f32", values: "f32" },
  batchSize: 48,
  contextSize: 512,
  slots: 2,
  speculation: "off",
} as const;

const model = tinyModel();
const prompt = "ann asks where the sea ends. ".repeat(6);

async function serve(overrides: Partial<EngineSettings>): Promise<RunningApp> {
  const server = await runApp(await openEngine(model, { ...settings, ...overrides }));
  onTestFinished(() => server.close());
  return server;
}

async function post<Answer>({ url }: RunningApp, path: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  return (await response.json()) as Answer;
}

const complete = (server: RunningApp, id_slot: number): Promise<NativeCompletion> =>
  post(server, "/completion", { prompt, id_slot, n_predict: 12, temperature: 0 });

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Saved {
  readonly n_saved: number;
  readonly n_written: number;
}

const filename = "sea.bin";

describe.each(["split", "unified"] as const)("a saved slot state, %s", (kvCacheLayout) => {
  it("is restored in another slot of another process", async () => {
    const slotSavePath = newFolder();
    const first = await serve({ kvCacheLayout, slotSavePath });
    const answer = await complete(first, 1);
    expect(answer).toMatchObject({ id_slot: 1, tokens_cached: 0 });
    const saved = await post<Saved>(first, "/slots/1?action=save", { filename });
    expect(saved).toMatchObject({ id_slot: 1, filename, n_saved: expect.any(Number) });
    expect(saved.n_saved).toBeGreaterThanOrEqual(answer.tokens_evaluated);

    const second = await serve({ kvCacheLayout, slotSavePath });
    const restored = await post(second, "/slots/0?action=restore", { filename });
    expect(restored).toMatchObject({ n_restored: saved.n_saved, n_read: saved.n_written });
    const again = await complete(second, 0);
    expect(again.content).toBe(answer.content);
    expect(again.timings).toMatchObject({ prompt_n: 1, cache_n: answer.tokens_evaluated - 1 });

    expect(await post(second, "/slots/0?action=erase", {})).toMatchObject({
      n_erased: expect.any(Number),
    });
    expect(await complete(second, 0)).toMatchObject({ content: answer.content, tokens_cached: 0 });
  });

  it("is rejected if the file has changed, and the slot continues without it", async () => {
    const slotSavePath = newFolder();
    const server = await serve({ kvCacheLayout, slotSavePath });
    const answer = await complete(server, 0);
    await post(server, "/slots/0?action=save", { filename });
    const path = join(slotSavePath, `${filename}.state`);
    const state = readFileSync(path);
    const middle = Math.floor(state.length / 2);
    state.writeUInt8(state.readUInt8(middle) ^ 1, middle);
    writeFileSync(path, state);
    const { error } = await post<{ error: object }>(server, "/slots/0?action=restore", {
      filename,
    });
    expect(error).toMatchObject({ code: "invalid_request", param: "filename" });
    expect((await complete(server, 0)).content).toBe(answer.content);
  });
});
