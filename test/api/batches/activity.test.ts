import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { chatLine } from "../../support/batch-options.js";
import { eventually } from "../../support/eventually.js";
import { formPayload } from "../../support/form-payload.js";
import { metricsIn } from "../../support/scraped-metrics.js";
import { deferred, ScriptedEngine } from "../../support/scripted-engine.js";
import { openStoredBatches } from "../../support/stored-batches.js";
import { ALIAS, buildTestApp } from "../../support/test-app.js";
import { textIn } from "../../support/text-in.js";

/** An application that runs two lines at once, whose answers a test releases. */
async function heldBatches() {
  const { batches } = await openStoredBatches({ linesAtOnce: 2 });
  const gate = deferred();
  const engine = new ScriptedEngine(
    ({ prompt }) => ({
      parts: ["to", textIn(prompt.messages.at(-1)?.content ?? "")],
      before: () => gate.promise,
    }),
    { slots: 8 },
  );
  const logged: string[] = [];
  const logger = pino({ level: "info" }, { write: (line: string) => void logged.push(line) });
  const { app } = buildTestApp(engine, { batches, logger });
  const create = async (lines: readonly string[]) => {
    const form = await formPayload({ purpose: "batch", file: new Blob([lines.join("\n")]) });
    const upload = await app.inject({
      method: "POST",
      url: "/v1/files",
      headers: form.headers,
      payload: form.payload as Buffer,
    });
    const created = await app.inject({
      method: "POST",
      url: "/v1/batches",
      payload: {
        input_file_id: upload.json().id,
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      },
    });
    return created.json();
  };
  const get = async (id: string) => (await app.inject(`/v1/batches/${id}`)).json();
  const scrape = async () => metricsIn((await app.inject("/metrics")).body);
  const whenScraped = (expected: Readonly<Record<string, number>>) =>
    eventually(async () => expect(await scrape()).toMatchObject(expected));
  const cancel = (id: string) => app.inject({ method: "POST", url: `/v1/batches/${id}/cancel` });
  return { create, get, cancel, scrape, whenScraped, release: gate.resolve, logged };
}

const ofModel = `model_name=${ALIAS}`;

describe("the metrics of batches", () => {
  it("count waiting, running and answered lines by model, and their tokens", async () => {
    const { create, get, whenScraped, release, scrape } = await heldBatches();
    const lines = ["one", "two", "three"].map((text) => chatLine(text, text));
    const { id } = await create([...lines, chatLine("bad", "x", { temperature: "hot" })]);
    await whenScraped({
      "ggufd:num_batches{status=in_progress}": 1,
      [`ggufd:num_batch_lines_running{${ofModel}}`]: 2,
    });
    const before = await scrape();
    const waiting = before[`ggufd:num_batch_lines_waiting{${ofModel}}`] ?? 0;
    const errored = before[`ggufd:batch_lines_total{${ofModel},result=errored}`] ?? 0;
    expect(waiting + errored).toBe(2);
    release();
    await whenScraped({
      "ggufd:num_batches{status=in_progress}": 0,
      [`ggufd:num_batch_lines_running{${ofModel}}`]: 0,
      [`ggufd:num_batch_lines_waiting{${ofModel}}`]: 0,
      [`ggufd:batch_lines_total{${ofModel},result=succeeded}`]: 3,
      [`ggufd:batch_lines_total{${ofModel},result=errored}`]: 1,
      [`ggufd:batch_generation_tokens_total{${ofModel}}`]: 6,
    });
    const after = await scrape();
    expect(after[`ggufd:batch_prompt_tokens_total{${ofModel}}`]).toBe(
      after[`ggufd:prompt_tokens_total{${ofModel}}`],
    );
    expect((await get(id)).model).toBe(ALIAS);
  });

  it("count lines of unknown models without their names", async () => {
    const { create, get, whenScraped, scrape } = await heldBatches();
    const { id } = await create([
      chatLine("a", "x", { model: "secret-1" }),
      chatLine("b", "x", { model: "secret-2" }),
    ]);
    await whenScraped({ "ggufd:batch_lines_total{model_name=none,result=errored}": 2 });
    expect(Object.keys(await scrape()).filter((name) => name.includes("secret"))).toEqual([]);
    expect((await get(id)).model).toBeNull();
  });

  it("count the remaining lines of a cancelled batch as canceled", async () => {
    const { create, cancel, whenScraped } = await heldBatches();
    const { id } = await create(["a", "b", "c", "d"].map((text) => chatLine(text, text)));
    await whenScraped({ [`ggufd:num_batch_lines_running{${ofModel}}`]: 2 });
    await whenScraped({ [`ggufd:num_batch_lines_waiting{${ofModel}}`]: 2 });
    await cancel(id);
    await whenScraped({
      "ggufd:num_batches{status=cancelling}": 0,
      [`ggufd:num_batch_lines_running{${ofModel}}`]: 0,
      [`ggufd:num_batch_lines_waiting{${ofModel}}`]: 0,
      [`ggufd:batch_lines_total{${ofModel},result=canceled}`]: 4,
    });
  });
});

it("the access log names the batch of each line", async () => {
  const { create, release, logged } = await heldBatches();
  release();
  const { id } = await create([chatLine("a", "x")]);
  const lines = () => logged.map((line) => JSON.parse(line)).filter((line) => line.batch);
  await eventually(async () =>
    expect(lines()).toMatchObject([{ path: "/v1/chat/completions", batch: id, model: ALIAS }]),
  );
});
