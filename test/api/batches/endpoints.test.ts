import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.js";
import { formPayload } from "../../support/form-payload.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import {
  embeddingModel,
  logitOfPair,
  rerankingModel,
  ScriptedPooling,
  vectorOfText,
} from "../../support/scripted-pooling.js";
import { openStoredBatches } from "../../support/stored-batches.js";
import { buildTestApp } from "../../support/test-app.js";

it.each([
  [
    "/v1/chat/completions",
    { messages: [{ role: "user", content: "Hi" }] },
    { choices: [{ message: { content: "chat" } }] },
  ],
  ["/v1/completions", { prompt: "Hi" }, { choices: [{ text: "raw" }] }],
  ["/v1/responses", { input: "Hi" }, { output: [{ content: [{ text: "chat" }] }] }],
  ["/v1/embeddings", { model: "embedder", input: "Hi" }, { data: [{ index: 0 }] }],
  [
    "/v1/rerank",
    { model: "ranker", query: "a", documents: ["b", "a"] },
    { results: [{ index: 1 }, { index: 0 }] },
  ],
])("lines of a batch are answered by %s", async (endpoint, body, answer) => {
  const { batches } = await openStoredBatches();
  const engine = new ScriptedEngine(() => ({ parts: ["chat"] }), {
    rawScript: () => ({ parts: ["raw"] }),
  });
  const { app } = buildTestApp(engine, {
    batches,
    otherModels: [
      embeddingModel(new ScriptedPooling({ vectorOf: vectorOfText })),
      rerankingModel(new ScriptedPooling({ vectorOf: logitOfPair })),
    ],
  });
  const line = JSON.stringify({ custom_id: "a", method: "POST", url: endpoint, body });
  const form = await formPayload({ purpose: "batch", file: new Blob([line]) });
  const file = await app.inject({ method: "POST", url: "/v1/files", ...form });
  const created = await app.inject({
    method: "POST",
    url: "/v1/batches",
    payload: { input_file_id: file.json().id, endpoint, completion_window: "24h" },
  });
  const batch = await eventually(async () => {
    const response = await app.inject({ url: `/v1/batches/${created.json().id}` });
    expect(response.json().status).toBe("completed");
    return response.json();
  });
  expect(batch.error_file_id).toBeNull();
  const output = await app.inject({ url: `/v1/files/${batch.output_file_id}/content` });
  expect(JSON.parse(output.body).response.body).toMatchObject(answer);
});
