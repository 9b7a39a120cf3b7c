import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { run, start, temporaryFolder } from "./daemon.js";

async function ask(url: string, method: string, path: string, body?: object) {
  const answer = await fetch(`${url}/v1${path}`, {
    method,
    ...(body && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  expect(answer.status).toBe(200);
  return answer;
}

it("a conversation stored next to the to-do file survives a SIGKILL of the daemon", async () => {
  const folder = temporaryFolder();
  const args = ["--todos", join(folder, "todos.json"), "--context-size", "512"];
  const file = join(folder, "conversations.jsonl");
  const first = await start(args);
  expect(existsSync(file)).toBe(false);
  const items = [{ role: "user", content: "Hello!" }];
  const created = await ask(first.url, "POST", "/conversations", { items });
  const { id } = (await created.json()) as { id: string };
  const body = { conversation: id, background: true, stream: true, max_output_tokens: 8 };
  await (await ask(first.url, "POST", "/responses", body)).text();
  const before = await (await ask(first.url, "GET", `/conversations/${id}/items`)).json();
  expect(before).toMatchObject({
    data: [{ response: { timings: { predicted_n: 8 } } }, { role: "user" }],
  });
  first.process.kill("SIGKILL");
  await first.exited;
  expect(statSync(file).mode & 0o777).toBe(0o600);

  const second = await start(["--no-model", ...args.slice(0, 2)]);
  const after = await (await ask(second.url, "GET", `/conversations/${id}/items`)).json();
  expect(after).toEqual(before);
  const elsewhere = ["--no-model", "--todos", join(folder, "others.json")];
  const refused = await run(elsewhere);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^ggufd: --conversations .*conversations\.jsonl: the conversations file is in use by process \d+ on .* its own\.$/m,
  );
  const third = await start([...elsewhere, "--conversations", "none"]);
  const list = await (await ask(third.url, "GET", "/conversations")).json();
  expect(list).toMatchObject({ data: [] });
});
