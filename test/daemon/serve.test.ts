import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { processesWith } from "./child-processes.js";
import { entry, launch, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

const withModel = ["--gpu", "off", "--threads", "1", "--model", tinyModel(), "--alias", "tiny"];

const chat = (url: string, body: object) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }),
  });

describe("the daemon", { timeout: SEVERAL_STARTS }, () => {
  it("prints its start screen, answers, and exits with code 0 on SIGTERM", async () => {
    const { process, url, exited } = await start(withModel);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const response = await chat(url, { max_tokens: 3, model: "tiny", ignore_eos: true });
    expect(await response.json()).toMatchObject({ usage: { completion_tokens: 3 } });
    process.kill("SIGTERM");
    const { code, stdout, stderr } = await exited;
    expect(code).toBe(0);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^ {2}model +tiny \(llama, 107 k parameters, 442 kB\)$/m);
    expect(stdout).toMatch(/^ {2}context +2048 tokens in each of \d+ slots, batch 512$/m);
    expect(stdout).toMatch(/^ {2}kv cache +[\d.]+ MB in f16, 524 kB a slot$/m);
    expect(stdout).toMatch(/^ {2}device +CPU, 1 thread(, llama\.cpp compiled here)?$/m);
    expect(stdout).toMatch(/^ {2}try +curl http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions/m);
    expect(stdout.split("\n").length).toBeLessThan(24);
  });

  it("finishes running requests and rejects new ones on SIGTERM", async () => {
    const { process, url, exited } = await start(withModel);
    const running = await chat(url, { stream: true, max_tokens: 1500, ignore_eos: true });
    process.kill("SIGTERM");
    const reader = running.body?.getReader();
    await eventually(async () => {
      const health = await fetch(`${url}/health`).catch(() => undefined);
      expect(health?.status).not.toBe(200);
    });
    const late = await chat(url, {}).catch(() => undefined);
    expect(late === undefined || late.status === 503).toBe(true);
    let text = "";
    const decoder = new TextDecoder();
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      text += decoder.decode(part.value, { stream: true });
    }
    expect(text).toContain('"finish_reason":"length"');
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect((await exited).code).toBe(0);
  });

  it("counts a Ctrl-C forwarded by both terminal and npm once, and reports what it waits for", async () => {
    const { process, url, exited } = await start([...withModel, "--parallel", "1"]);
    // It takes seconds, so that it does not end before the signals on a busy machine.
    const running = await fetch(`${url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        prompt: Array(8).fill("Hi"),
        stream: true,
        max_tokens: 800,
        ignore_eos: true,
      }),
    });
    process.kill("SIGINT");
    process.kill("SIGINT");
    const text = await running.text();
    expect(text.match(/"finish_reason":"length"/g)).toHaveLength(8);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    const { code, stderr } = await exited;
    expect(stderr).toMatch(/^ggufd: draining \d+ requests?, Ctrl-C again to stop\n$/);
    expect(code).toBe(0);
  });

  it("aborts running requests at the deadline, with an error event", async () => {
    const args = [...withModel, "--drain-timeout", "0"];
    const { process, url, exited } = await start(args);
    const running = await chat(url, { stream: true, ignore_eos: true });
    process.kill("SIGINT");
    const text = await running.text();
    expect(text).toContain('"code":"shutting_down"');
    expect(text).not.toContain("[DONE]");
    expect((await exited).code).toBe(0);
  });

  it("exits without output if interrupted while a model loads", async () => {
    const cwd = temporaryFolder();
    const env = { PATH: process.env.PATH, XDG_CACHE_HOME: cwd };
    const args = [entry, "serve", "--port", "0", ...withModel];
    const { exited } = launch(process.execPath, args, { cwd, env });
    const processes = () => processesWith("XDG_CACHE_HOME", cwd);
    await eventually(() => expect(processes().length).toBeGreaterThan(1));
    // A terminal sends the signal to all processes.
    for (const pid of processes()) process.kill(pid, "SIGINT");
    expect(await exited).toEqual({ code: 0, stdout: "", stderr: "" });
    await eventually(() => expect(processes()).toEqual([]));
  });

  it("runs the to-do service without a model and keeps its items across a restart", async () => {
    const todos = join(temporaryFolder(), "todos.json");
    const args = ["--no-model", "--todos", todos];
    const first = await start(args);
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    expect((await chat(first.url, {})).status).toBe(503);
    const created = await fetch(`${first.url}/api/todos`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title: "survive" }),
    });
    expect(created.status).toBe(201);
    first.process.kill("SIGKILL");
    await first.exited;
    const second = await start(args);
    const list = await (await fetch(`${second.url}/api/todos`)).json();
    expect(list).toEqual([{ id: 1, title: "survive", completed: false }]);
    expect(JSON.parse(readFileSync(todos, "utf8"))).toMatchObject({ items: [{ id: 1 }] });
  });

  it("warns if it listens on all interfaces without an API key", async () => {
    const open = await start(["--no-model", "--host", "0.0.0.0"]);
    open.process.kill("SIGTERM");
    expect((await open.exited).stderr).toMatch(/without an API key/);
    const keys = join(temporaryFolder(), "keys");
    writeFileSync(keys, "# team\nsecret-key\n");
    const closed = await start(["--no-model", "--host", "0.0.0.0", "--api-key-file", keys]);
    expect((await fetch(`${closed.url}/v1/models`)).status).toBe(401);
    const headers = { authorization: "Bearer secret-key" };
    expect((await fetch(`${closed.url}/v1/models`, { headers })).status).toBe(200);
    closed.process.kill("SIGTERM");
    expect((await closed.exited).stderr).toBe("");
  });
});
