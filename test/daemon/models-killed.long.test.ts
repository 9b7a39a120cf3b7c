import { readFileSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import {
  type Daemon,
  entry,
  launch,
  SEVERAL_STARTS,
  startScreenOf,
  temporaryFolder,
} from "./daemon.js";
import { engineOf } from "./engine-of.js";
import { ask, startTwoOfThree, states, textOf, twoOfThree } from "./several-models.js";

/**
 * Preloaded by each process: the first engine that loads a model writes its process id to a file
 * and computes forever.
 */
const hangingOnce = `
  import { readFileSync, writeFileSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  if (isMainThread && process.argv[1]?.endsWith("/process/engine-main.js")) {
    const listen = (event) => {
      if (event !== "message") return;
      process.off("newListener", listen);
      process.on("message", ({ type }) => {
        if (type !== "load" || readFileSync(process.env.TOLD, "utf8") !== "") return;
        writeFileSync(process.env.TOLD, String(process.pid));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      });
    };
    process.on("newListener", listen);
  }`;

/** A folder for daemons whose first engine hangs while it loads a model. */
async function folderOfHanging() {
  const folder = temporaryFolder();
  const [told, act] = [join(folder, "told"), join(folder, "act.mjs")];
  writeFileSync(told, "");
  writeFileSync(act, hangingOnce);
  const args = [entry, "--port", "0", ...(await twoOfThree())];
  const env = {
    PATH: process.env.PATH,
    XDG_CACHE_HOME: folder,
    TOLD: told,
    NODE_OPTIONS: `--import ${pathToFileURL(act)}`,
  };
  return {
    async start(): Promise<Daemon> {
      const outcome = await startScreenOf(launch(process.execPath, args, { cwd: folder, env }));
      if ("code" in outcome) throw new Error(`the daemon exited: ${outcome.stderr}`);
      return outcome;
    },
    /** Id of the hanging process. */
    hanging: () =>
      eventually(() => {
        const pid = Number(readFileSync(told, "utf8"));
        expect(pid).toBeGreaterThan(0);
        return pid;
      }),
  };
}

describe.runIf(platform() === "linux")("with several models,", { timeout: SEVERAL_STARTS }, () => {
  it("a model whose process is killed while loading is loaded by another process for the waiting requests", async () => {
    const { start, hanging } = await folderOfHanging();
    const daemon = await start();
    const waiting = [ask(daemon, "one"), ask(daemon, "one")];
    const pid = await hanging();
    const behind = ask(daemon, "two");
    process.kill(pid, "SIGKILL");
    for (const answer of await Promise.all([...waiting, behind])) {
      expect(answer).toMatchObject({ status: 200 });
    }
    expect(daemon.output.stderr).toContain("its process has ended: SIGKILL");
    expect(await states(daemon)).toEqual({ one: "loaded", two: "loaded", three: "unloaded" });
  });

  it("a model whose process is killed resumes its answer in the next process, without affecting other models", async () => {
    const daemon = await startTwoOfThree();
    const long = { max_tokens: 300 };
    const whole = textOf(await ask(daemon, "one", long));
    const killed = engineOf(daemon);
    const other = textOf(await ask(daemon, "two", long));
    const answers = Promise.all([ask(daemon, "one", long), ask(daemon, "two", long)]);
    // A request that comes after the engine has exited gets a 503 while it restarts.
    await eventually(async () => {
      const response = await fetch(`${daemon.url}/slots?model=one`);
      const slots = (await response.json()) as readonly { readonly is_processing: boolean }[];
      expect(slots.some(({ is_processing }) => is_processing)).toBe(true);
    });
    process.kill(killed, "SIGKILL");
    const third = ask(daemon, "three");
    const [one, two] = await answers;
    expect([one.status, two.status]).toEqual([200, 200]);
    expect([textOf(one), textOf(two)]).toEqual([whole, other]);
    expect(await third).toMatchObject({ status: 200 });
    expect(daemon.output.stderr).toContain("the engine process exited (SIGKILL");
  });

  it("a process that is loading a model exits when the daemon is killed", async () => {
    const { start, hanging } = await folderOfHanging();
    const first = await start();
    const broken = ask(first, "one").catch(() => "broken off");
    const pid = await hanging();
    first.process.kill("SIGKILL");
    expect(await broken).toBe("broken off");
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/));
    const second = await start();
    expect(await ask(second, "one")).toMatchObject({ status: 200 });
    expect(await ask(second, "two")).toMatchObject({ status: 200 });
    second.process.kill("SIGTERM");
    expect((await second.exited).code).toBe(0);
  });
});
