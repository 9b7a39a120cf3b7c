import { writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { childrenWith, mappedFiles } from "./child-processes.js";
import { type Daemon, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import { engineOf } from "./engine-of.js";
import {
  ask,
  type ModelName,
  NAMES,
  presets,
  startTwoOfThree,
  states,
  textOf,
} from "./several-models.js";

const enginesOf = (daemon: Daemon) => childrenWith(daemon, /ggufd engine/);

describe("the models of a presets file", { timeout: SEVERAL_STARTS }, () => {
  it("are loaded on demand in separate processes, and evict each other", async () => {
    const daemon = await startTwoOfThree();
    expect(daemon.output.stdout).toMatch(/on demand +one, two, three/);
    expect(await states(daemon)).toEqual({ one: "unloaded", two: "unloaded", three: "unloaded" });
    expect((await fetch(`${daemon.url}/health/ready`)).status).toBe(200);
    for (const name of NAMES) expect(await ask(daemon, name)).toMatchObject({ status: 200 });
    expect(await states(daemon)).toEqual({ one: "unloaded", two: "loaded", three: "loaded" });
    expect(await ask(daemon, "four")).toMatchObject({
      status: 404,
      body: { error: { code: "model_not_found" } },
    });
    if (platform() === "linux") {
      await eventually(() => expect(enginesOf(daemon)).toHaveLength(2));
      // Only the engines load llama.cpp. The database of usage is a native module too.
      const native = /llama[^/]*\.node$|libllama|libggml/;
      expect(mappedFiles(engineOf(daemon)).filter((file) => native.test(file))).not.toEqual([]);
      expect(mappedFiles(daemon.process.pid ?? 0).filter((file) => native.test(file))).toEqual([]);
    }
  });

  it("give the same answers under concurrent requests as alone", async () => {
    const daemon = await startTwoOfThree();
    const alone: Partial<Record<ModelName, string>> = {};
    for (const name of NAMES) alone[name] = textOf(await ask(daemon, name));
    const asked = Array.from({ length: 12 }, (_, index) => NAMES[index % 3] ?? "one");
    const answers = await Promise.all(asked.map((name) => ask(daemon, name)));
    expect(answers.map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect(answers.map(textOf)).toEqual(asked.map((name) => alone[name]));
    expect(new Set(Object.values(alone)).size).toBe(NAMES.length);
  });

  it("finish running answers before they are unloaded", async () => {
    const daemon = await startTwoOfThree();
    const long = NAMES.slice(0, 2).map((name) => ask(daemon, name, { max_tokens: 200 }));
    await eventually(async () =>
      expect(await states(daemon)).toMatchObject({ one: "loaded", two: "loaded" }),
    );
    const other = ask(daemon, "three");
    const answers = await Promise.all([...long, other]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const tokens = answers.map(({ body }) => body.usage.completion_tokens);
    expect(tokens).toEqual([200, 200, 8]);
  });

  it.runIf(platform() === "linux")(
    "are loaded by a process that was started in advance",
    async () => {
      const daemon = await startTwoOfThree();
      for (const name of NAMES) {
        const spare = await eventually(() => {
          const waiting = childrenWith(daemon, /ggufd spare/);
          expect(waiting).toHaveLength(1);
          return waiting;
        });
        expect(await ask(daemon, name)).toMatchObject({ status: 200 });
        expect(enginesOf(daemon)).toEqual(expect.arrayContaining(spare));
      }
      daemon.process.kill("SIGTERM");
      expect((await daemon.exited).code).toBe(0);
    },
  );

  it("are unloaded after the idle time", async () => {
    const daemon = await startTwoOfThree({ modelTtl: "100ms" });
    await ask(daemon, "one");
    await eventually(async () => expect(await states(daemon)).toMatchObject({ one: "unloaded" }));
    if (platform() === "linux") await eventually(() => expect(enginesOf(daemon)).toEqual([]));
  });

  it("are rejected with the required and the available memory if they never fit", async () => {
    const daemon = await start(["--models-preset", presets(), "--memory-budget", "0.001"]);
    expect(await ask(daemon, "one")).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_request", message: expect.stringMatching(/MiB of main/) } },
    });
  });

  it("are reported as unavailable if broken, with the reason in the log, and do not delay other models", async () => {
    const folder = temporaryFolder();
    const broken = join(folder, "broken.gguf");
    writeFileSync(broken, "no model");
    const path = join(folder, "models.yaml");
    const models = { good: { model: tinyModel() }, broken: { model: broken } };
    writeFileSync(path, JSON.stringify({ defaults: { gpu: "off", threads: 1 }, models }));
    const daemon = await start(["--models-preset", path]);
    const refused = ask(daemon, "broken");
    expect(await ask(daemon, "good")).toMatchObject({ status: 200 });
    expect(await refused).toMatchObject({
      status: 503,
      body: {
        error: {
          code: "model_unavailable",
          message: "The model `broken` cannot be loaded; see the server's log.",
        },
      },
    });
    expect(daemon.output.stderr).toContain(broken);
  });
});
