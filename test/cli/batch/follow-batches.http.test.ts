import { expect, it, test } from "vitest";
import { followBatches } from "../../../src/cli/batch/follow-batches.js";
import { DaemonClient } from "../../../src/cli/daemon/daemon-client.js";
import { jsonAnswer, refusalAnswer, type StandInAnswer, startStandIn } from "../daemon/stand-in.js";

const batch = (status: string, completed: number) => ({
  ...{ id: "batch_1", endpoint: "/v1/embeddings", input_file_id: "file-1", created_at: 1, status },
  request_counts: { total: 10, completed, failed: 0 },
});

const metrics = (prompt: number, generated: number): StandInAnswer => ({
  text: `ggufd:prompt_tokens_total{model="m"} ${prompt}\nggufd:generation_tokens_total{model="m"} ${generated}\n`,
});

/** Follows a batch of a server with these answers, of which the last one repeats. */
async function follow(
  answers: readonly StandInAnswer[],
  readMetrics: () => StandInAnswer = () => ({ status: 403, text: "{}" }),
) {
  const left = [...answers];
  const { url, asked } = await startStandIn((line) => {
    if (line === "GET /metrics") return readMetrics();
    return (left.length > 1 ? left.shift() : left[0]) ?? jsonAnswer({});
  });
  const written: string[] = [];
  const stderr = { isTTY: true, columns: 200, write: (text: string) => written.push(text) };
  const followed = followBatches(new DaemonClient({ url }), [batch("validating", 0)], {
    ...{ name: "in.jsonl", apiKey: undefined, terminal: { stderr } },
    signal: new AbortController().signal,
    wait: async () => undefined,
  });
  return { followed, asked, written, url };
}

it("shows the tokens per second of the daemon", async () => {
  let tokens = 0;
  const states = [batch("in_progress", 1), batch("in_progress", 5), batch("completed", 10)];
  const { followed, written } = await follow(
    states.map((state) => jsonAnswer(state)),
    () => metrics(100 * tokens, tokens++),
  );
  expect(await followed).toMatchObject([{ status: "completed" }]);
  expect(written.join("")).toMatch(/50 %, 5 of 10 requests, [\d,]+ tokens\/s, 0:01 left/);
});

it("asks for the metrics once if the key may not read them", async () => {
  const states = [batch("in_progress", 1), batch("in_progress", 5), batch("completed", 10)];
  const { followed, asked, written } = await follow(states.map((state) => jsonAnswer(state)));
  await followed;
  expect(asked.filter((line) => line === "GET /metrics")).toHaveLength(1);
  expect(written.join("")).not.toContain("tokens/s");
});

it("waits for a daemon that restarts", async () => {
  const { followed, written, url } = await follow([
    { text: "", ends: "broken-off" },
    refusalAnswer(503, "model_loading", "The model is loading."),
    jsonAnswer(batch("completed", 10)),
  ]);
  expect(await followed).toMatchObject([{ status: "completed" }]);
  expect(written.join("")).toContain(`in.jsonl waiting for the daemon at ${url}`);
});

test.each([
  [refusalAnswer(503, "model_loading", "The model is loading."), "The model is loading.", 301],
  [refusalAnswer(404, "not_found", "Batch not found."), "Batch not found.", 1],
])("gives up after %j", async (answer, message, polls) => {
  const { followed, asked } = await follow([answer]);
  await expect(followed).rejects.toThrow(message);
  expect(asked.filter((line) => line !== "GET /metrics")).toHaveLength(polls);
});
