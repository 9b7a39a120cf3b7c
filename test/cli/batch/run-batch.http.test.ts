import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PassThrough } from "node:stream";
import { describe, expect, it, onTestFinished, test } from "vitest";
import { runManageBatches } from "../../../src/cli/batch/manage-batches.js";
import { type BatchArguments, Interruption, runBatch } from "../../../src/cli/batch/run-batch.js";
import { loadConfig } from "../../../src/config/load-config.js";
import { chatLine } from "../../support/batch-options.js";
import { eventually } from "../../support/eventually.js";
import { runApp } from "../../support/running-app.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { openStoredBatches } from "../../support/stored-batches.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import type { TestAppOptions } from "../../support/test-app.js";
import { textIn } from "../../support/text-in.js";
import { scriptedTerminal } from "../chat/scripted-terminal.js";

const { config } = loadConfig({ flags: {}, environment: {} });

/** Polls without waiting long, as a test does not. */
const quick = async () => new Promise<void>((resolve) => setTimeout(resolve, 5));

/** A daemon, and a folder with files of requests. */
async function start(
  answers: (content: string) => Script = (content) => ({ parts: [`to ${content}`] }),
  options: TestAppOptions = {},
) {
  const folder = await temporaryFolder();
  const { batches } = await openStoredBatches({ linesAtOnce: 8 });
  const engine = new ScriptedEngine(
    ({ prompt }) => answers(textIn(prompt.messages.at(-1)?.content)),
    { slots: 8 },
  );
  const { url, close } = await runApp(engine, { ...options, batches });
  onTestFinished(close);
  const daemon = { selection: "named", url, apiKey: undefined } as const;
  const at = (name: string) => join(folder, name);
  const run = (name: string, changes: Partial<BatchArguments> = {}, isTTY = false) => {
    const { stdin, stdout, stderr } = scriptedTerminal({ isTTY });
    const controller = new AbortController();
    const file = name === "-" ? name : at(name);
    const args: BatchArguments = {
      ...{ file, output: at("out.jsonl"), model: undefined, earlierBatch: "continue" },
      ...{ daemon, config },
      ...changes,
    };
    const terminal = { stdin: stdin as PassThrough, stdout, stderr };
    const ended = runBatch(args, terminal, { signal: controller.signal, wait: quick });
    const interrupt = () => controller.abort(new Interruption(130));
    return { ended, interrupt, stdin, stdout, stderr };
  };
  const write = (name: string, ...lines: readonly string[]) =>
    writeFile(at(name), lines.join("\n"));
  const list = async () => {
    const text = await runManageBatches({ action: "list", daemon, output: "json" });
    return JSON.parse(text).batches as { id: string; status: string; endpoint: string }[];
  };
  return { folder, at, run, write, list, daemon, engine };
}

/** Results by their `custom_id`. */
function resultsOf(text: string): Record<string, unknown> {
  const lines = text.trim().split("\n");
  const results = lines.map((line) => JSON.parse(line));
  return Object.fromEntries(
    results.map(({ custom_id, response }) => [
      custom_id,
      response.body.choices?.[0].message.content ?? response.status_code,
    ]),
  );
}

describe("ggufd batch", () => {
  it("saves the answers of a file", async () => {
    const { run, write, at, list } = await start();
    await write("in.jsonl", chatLine("a", "one"), chatLine("b", "two"));
    const { ended, stdout, stderr } = run("in.jsonl");
    expect(await ended).toBe(0);
    expect(resultsOf(readFileSync(at("out.jsonl"), "utf8"))).toEqual({ a: "to one", b: "to two" });
    expect(existsSync(at("out.errors.jsonl"))).toBe(false);
    expect(stdout.text).toBe("");
    expect(stderr.text).toContain(
      `in.jsonl: 2 of 2 requests done, 0 failed; results in ${at("out.jsonl")}\n`,
    );
    expect(await list()).toMatchObject([
      { status: "completed", metadata: { file: "in.jsonl", ggufd_run: expect.any(String) } },
    ]);
  });

  it("saves errors in a separate file, and removes it when there are none", async () => {
    const { run, write, at } = await start();
    await write("in.jsonl", chatLine("a", "one"), chatLine("b", "x", { temperature: "hot" }));
    const { ended, stderr } = run("in.jsonl");
    expect(await ended).toBe(1);
    expect(resultsOf(readFileSync(at("out.jsonl"), "utf8"))).toEqual({ a: "to one" });
    expect(resultsOf(readFileSync(at("out.errors.jsonl"), "utf8"))).toEqual({ b: 400 });
    expect(stderr.text).toContain(
      `1 of 2 requests done, 1 failed; results in ${at("out.jsonl")}, errors in ${at("out.errors.jsonl")}\n`,
    );
    await write("in.jsonl", chatLine("a", "one"));
    expect(await run("in.jsonl").ended).toBe(0);
    expect(existsSync(at("out.errors.jsonl"))).toBe(false);
  });

  it("reads standard input and writes standard output", async () => {
    const { run } = await start();
    const { ended, stdin, stdout } = run("-", { output: undefined });
    stdin.end([chatLine("a", "one"), chatLine("b", "x", { temperature: "hot" })].join("\n"));
    expect(await ended).toBe(1);
    expect(resultsOf(stdout.text)).toEqual({ a: "to one", b: 400 });
  });

  it("saves results next to the input by default", async () => {
    const { run, write, at } = await start();
    await write("in.jsonl", chatLine("a", "one"));
    expect(await run("in.jsonl", { output: undefined }).ended).toBe(0);
    expect(resultsOf(readFileSync(at("in.out.jsonl"), "utf8"))).toEqual({ a: "to one" });
  });

  it("answers the lines of several endpoints with a batch for each", async () => {
    const { run, write, at, list } = await start();
    const response = JSON.stringify({
      ...{ custom_id: "b", method: "POST", url: "/v1/responses" },
      body: { model: "scripted", input: "two" },
    });
    await write("in.jsonl", chatLine("a", "one"), response);
    expect(await run("in.jsonl").ended).toBe(0);
    const endpoints = (await list()).map(({ endpoint }) => endpoint);
    expect(endpoints.toSorted()).toEqual(["/v1/chat/completions", "/v1/responses"]);
    expect(Object.keys(resultsOf(readFileSync(at("out.jsonl"), "utf8")))).toHaveLength(2);
  });

  it("answers lines of another model with --model", async () => {
    const { run, write, at } = await start();
    await write("in.jsonl", chatLine("a", "one", { model: "meta-llama/Meta-Llama-3-8B-Instruct" }));
    const refused = run("in.jsonl");
    expect(await refused.ended).toBe(2);
    expect(refused.stderr.text).toMatch(
      /^ggufd: in\.jsonl:1: body\.model: The model `meta-llama.*` does not exist; .* --model NAME answers all lines with another model\.\n$/m,
    );
    expect(await run("in.jsonl", { model: "scripted" }).ended).toBe(0);
    expect(resultsOf(readFileSync(at("out.jsonl"), "utf8"))).toEqual({ a: "to one" });
  });

  it("shows a bar on a terminal, and removes it", async () => {
    const { run, write } = await start();
    await write("in.jsonl", chatLine("a", "one"));
    const { ended, stderr } = run("in.jsonl", {}, true);
    await ended;
    expect(stderr.text).toMatch(/in\.jsonl [█░]{30} /);
    expect(stderr.text).toContain("\r\u001b[Kin.jsonl: 1 of 1 requests done");
  });
});

describe("an interrupted run", () => {
  it("leaves the batch running, and the same command continues it", async () => {
    let script: Script = { parts: ["so"], ending: "never" };
    const { run, write, at, list, engine } = await start(() => script);
    await write("in.jsonl", chatLine("a", "one"));
    const first = run("in.jsonl");
    await eventually(() => expect(engine.requests).toHaveLength(1));
    first.interrupt();
    expect(await first.ended).toBe(130);
    const [batch] = await list();
    expect(batch).toMatchObject({ status: "in_progress" });
    expect(first.stderr.text).toContain(
      `ggufd: the batch continues in the daemon; run the same command to get its results, or ggufd batch cancel ${batch?.id}\n`,
    );
    expect(existsSync(at("out.jsonl"))).toBe(false);
    script = { parts: ["done"] };
    const second = run("in.jsonl");
    await eventually(() => expect(second.stderr.text).toContain(`${batch?.id} continues\n`));
    second.interrupt();
    expect(await second.ended).toBe(130);
    expect(await list()).toHaveLength(1);
  });

  it("has its results fetched once the batch has ended", async () => {
    const { run, write, list } = await start();
    await write("in.jsonl", chatLine("a", "one"));
    expect(await run("in.jsonl").ended).toBe(0);
    const again = run("in.jsonl");
    expect(await again.ended).toBe(0);
    expect(again.stderr.text).toContain("has run already (--new runs it again)");
    expect(await list()).toHaveLength(1);
  });

  it("is not continued with another output, other lines, or --new", async () => {
    const { run, write, list, at } = await start();
    await write("in.jsonl", chatLine("a", "one"));
    expect(await run("in.jsonl").ended).toBe(0);
    expect(await run("in.jsonl", { output: at("other.jsonl") }).ended).toBe(0);
    expect(await run("in.jsonl", { earlierBatch: "ignore" }).ended).toBe(0);
    await write("in.jsonl", chatLine("a", "two"));
    expect(await run("in.jsonl").ended).toBe(0);
    expect(await list()).toHaveLength(4);
  });

  it("before its input is complete has created nothing", async () => {
    const { run, list } = await start();
    const { ended, interrupt } = run("-");
    interrupt();
    expect(await ended).toBe(130);
    expect(await list()).toEqual([]);
  });
});

test("a cancelled batch fails with its results so far, and is started again", async () => {
  const { run, write, list, daemon, engine } = await start(() => ({
    parts: ["so"],
    ending: "never",
  }));
  await write("in.jsonl", chatLine("a", "one"));
  const first = run("in.jsonl");
  await eventually(() => expect(engine.requests).toHaveLength(1));
  const [{ id } = { id: "" }] = await list();
  const text = await runManageBatches({ action: "cancel", id, daemon, output: "text" });
  expect(text).toMatch(/^batch_\w+: cancel(ling|led)\n$/);
  expect(await first.ended).toBe(1);
  expect(first.stderr.text).toContain(
    `0 of 1 requests done, 0 failed, ${id} cancelled; results in`,
  );
  const second = run("in.jsonl");
  await eventually(async () => expect(await list()).toHaveLength(2));
  second.interrupt();
  expect(await second.ended).toBe(130);
});

describe("wrong input", () => {
  it("is reported with its line", async () => {
    const { run, write } = await start();
    await write("in.jsonl", chatLine("a", "one"), "{");
    const { ended, stderr } = run("in.jsonl");
    expect(await ended).toBe(2);
    expect(stderr.text).toBe('ggufd: in.jsonl:2: line: expected JSON in UTF-8, got "{".\n');
  });

  it("is reported with its line by the daemon", async () => {
    const { run, write } = await start();
    await write("in.jsonl", chatLine("a", "one"), chatLine("b", "x".repeat(2 ** 20)));
    const { ended, stderr } = run("in.jsonl");
    expect(await ended).toBe(2);
    expect(stderr.text).toMatch(/^ggufd: in\.jsonl:2: line: expected at most 1048576 bytes/m);
  });

  it.each([
    ["in.jsonl", "--output: expected a file other than the input, got"],
    [".", "--output: expected a file, got the folder"],
    ["no/folder/out.jsonl", "no such folder\n"],
  ])("is an output at %s", async (output, message) => {
    const { run, write, at } = await start();
    await write("in.jsonl", chatLine("a", "one"));
    const { ended, stderr } = run("in.jsonl", { output: at(output) });
    expect(await ended).toBe(2);
    expect(stderr.text).toContain(message);
  });
});

test("a device takes answers and errors in place of two files", async () => {
  const { run, write } = await start();
  await write("in.jsonl", chatLine("a", "x", { temperature: "hot" }));
  const { ended, stderr } = run("in.jsonl", { output: "/dev/null" });
  expect(await ended).toBe(1);
  expect(stderr.text).toMatch(/0 of 1 requests done, 1 failed\n$/);
  expect(existsSync("/dev/null.errors.jsonl")).toBe(false);
});

test("errors of the daemon end the run", async () => {
  const { run, write } = await start(undefined, { keyLines: ["secret scopes=batches,inference"] });
  await write("in.jsonl", chatLine("a", "one"));
  await expect(run("in.jsonl").ended).rejects.toThrow("requires an API key");
});

describe("list and show", () => {
  it("describe the batches of the daemon", async () => {
    const { run, write, daemon, list } = await start();
    const list0 = await runManageBatches({ action: "list", daemon, output: "text" });
    expect(list0).toBe("The daemon has no batches of this key.\n");
    await write("in.jsonl", chatLine("a", "one"));
    await run("in.jsonl").ended;
    const [{ id } = { id: "" }] = await list();
    const listed = await runManageBatches({ action: "list", daemon, output: "text" });
    expect(listed).toMatch(/^id +status +requests +failed +created +endpoint +file$/m);
    expect(listed).toMatch(
      new RegExp(`^${id} +completed +1 of 1 +0 +\\S+Z +/v1/chat/completions +in\\.jsonl$`, "m"),
    );
    const shown = await runManageBatches({ action: "show", id, daemon, output: "text" });
    expect(shown).toMatch(/^status +completed$/m);
    expect(shown).toMatch(/^requests +1 of 1 done, 0 failed$/m);
    expect(shown).toMatch(/^output +file-\w+$/m);
    const json = await runManageBatches({ action: "show", id, daemon, output: "json" });
    expect(JSON.parse(json)).toMatchObject({ id, object: "batch", completion_window: "14d" });
  });

  it("reject an unknown id", async () => {
    const { daemon } = await start();
    const unknown = runManageBatches({ action: "show", id: "batch_x", daemon, output: "text" });
    await expect(unknown).rejects.toThrow("Batch with id 'batch_x' not found");
  });
});
