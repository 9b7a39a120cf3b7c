/**
 * A server with a scripted engine that runs one batch, to be killed at any moment.
 *
 * Arguments: folder, number of lines. The first process creates the batch. Prints the texts of the
 * lines that the engine starts, and the batch when it has ended.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openBatches } from "../../../src/batches/open-batches.js";
import { batchOptions, chatLine } from "../../support/batch-options.js";
import { formPayload } from "../../support/form-payload.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";
import { textIn } from "../../support/text-in.js";

const MAX_ANSWER_MS = 10;
const POLL_MS = 20;
/** One line in this many is invalid. */
const INVALID_EVERY = 10;

const [, , folder = "", count = "0"] = process.argv;

const engine = new ScriptedEngine(
  ({ prompt }) => {
    const content = textIn(prompt.messages.at(-1)?.content ?? "");
    process.stdout.write(`${content}\n`);
    return {
      parts: [`to ${content}`],
      before: () => setTimeout(Math.random() * MAX_ANSWER_MS),
    };
  },
  { slots: 8 },
);
const { batches } = await openBatches(join(folder, "batches"), batchOptions);
const { app } = buildTestApp(engine, { batches });
const [existing] = (await app.inject({ url: "/v1/batches" })).json().data;
const { id } = existing ?? (await create());
for (;;) {
  const batch = (await app.inject({ url: `/v1/batches/${id}` })).json();
  if (batch.completed_at !== null || batch.failed_at !== null) {
    process.stdout.write(`${JSON.stringify(batch)}\n`);
    process.exit();
  }
  await setTimeout(POLL_MS);
}

async function create() {
  const lines = Array.from({ length: Number(count) }, (_, index) =>
    chatLine(`line-${index}`, `question ${index}`, {
      ...(index % INVALID_EVERY === 0 && { temperature: "hot" }),
    }),
  );
  const form = await formPayload({ purpose: "batch", file: new Blob([lines.join("\n")]) });
  const file = await app.inject({ method: "POST", url: "/v1/files", ...form });
  const created = await app.inject({
    method: "POST",
    url: "/v1/batches",
    payload: {
      input_file_id: file.json().id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    },
  });
  return created.json();
}
