import { readFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import {
  beginStream,
  chat,
  engineOf,
  readinessOf,
  requestsInFlight,
  serving,
} from "./engine-of.js";

const capacity = ["--context-size", "50000", "--parallel", "1"];

describe.runIf(platform() === "linux")(
  "a hanging engine process",
  { timeout: SEVERAL_STARTS },
  () => {
    it("is killed and replaced, and waiting requests are answered", async () => {
      const limits = ["--engine-watchdog", "2"];
      const daemon = await start([...serving(tinyModel()), ...capacity, ...limits]);
      const { url } = daemon;
      const { text } = await beginStream(url);
      const waiting = chat(url, { max_tokens: 3, ignore_eos: true });
      await requestsInFlight(url, { running: 1, waiting: 1 });
      const hung = engineOf(daemon);
      process.kill(hung, "SIGSTOP");
      expect((await text).match(/"error":/g)).toHaveLength(1);
      expect(await text).toContain('"code":"model_unavailable"');
      expect(await (await waiting).json()).toMatchObject({ usage: { completion_tokens: 3 } });
      expect((await readinessOf(url)).status).toBe(200);
      expect(engineOf(daemon)).not.toBe(hung);
      expect(() => process.kill(hung, 0)).toThrow(/ESRCH/);
      daemon.process.kill("SIGTERM");
      const { code, stderr } = await daemon.exited;
      expect(code).toBe(0);
      expect(stderr).toMatch(/killed: no sign of life for 2 s with \d generations? in flight/);
    });

    it("does not prevent a shutdown: to-dos are saved, streams end, and the daemon exits with code 0", async () => {
      const todos = join(temporaryFolder(), "todos.json");
      const limits = ["--engine-watchdog", "0", "--drain-timeout", "0", "--todos", todos];
      const daemon = await start([...serving(tinyModel()), ...capacity, ...limits]);
      const { url } = daemon;
      const { text } = await beginStream(url);
      const hung = engineOf(daemon);
      process.kill(hung, "SIGSTOP");
      const created = await fetch(`${url}/api/todos`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ title: "survive" }),
      });
      expect(created.status).toBe(201);
      daemon.process.kill("SIGTERM");
      expect((await text).match(/"error":/g)).toHaveLength(1);
      const { code, stderr } = await daemon.exited;
      expect(code).toBe(0);
      expect(stderr).toContain("the engine has not confirmed the end of its requests");
      expect(readFileSync(todos, "utf8")).toContain("survive");
      await eventually(() => expect(() => process.kill(hung, 0)).toThrow(/ESRCH/));
    });
  },
);
