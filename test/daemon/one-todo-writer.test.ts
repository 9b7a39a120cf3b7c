import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run, start, temporaryFolder } from "./daemon.js";

it("a to-do file can be opened by a second daemon only after the first one has stopped", async () => {
  const todos = join(temporaryFolder(), "todos.json");
  const args = ["--no-model", "--todos", todos];
  const first = await start(args);
  const body = JSON.stringify({ title: "one writer" });
  const headers = { "content-type": "application/json" };
  await fetch(`${first.url}/v1/todos`, { method: "POST", headers, body });
  const written = readFileSync(todos, "utf8");

  const refused = await run(["--port", "0", ...args]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^ggufd: --todos .*todos\.json: the to-do file is in use by process \d+ on .* needs its own\.$/m,
  );
  // Errors that are cheaper to detect are reported first.
  const port = new URL(first.url).port;
  const busy = await run(["--port", port, ...args]);
  expect(busy.stderr).toMatch(/^ggufd: --port \d+: already in use on 127\.0\.0\.1/);
  const noModel = await run(["--port", port, "--model", "/nowhere.gguf", "--todos", todos]);
  expect(noModel.stderr).toBe("ggufd: model /nowhere.gguf: no such file\n");
  expect(readFileSync(todos, "utf8")).toBe(written);
  expect((await fetch(`${first.url}/v1/todos`)).status).toBe(200);

  first.process.kill("SIGTERM");
  await first.exited;
  const second = await start(args);
  expect(await (await fetch(`${second.url}/v1/todos`)).text()).toContain("one writer");
});
