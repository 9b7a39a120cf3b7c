import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { childrenOf } from "./child-processes.js";
import { entry, SEVERAL_STARTS, temporaryFolder } from "./daemon.js";
import { serving } from "./engine-of.js";

/**
 * A module preloaded by a process of the daemon, selected by its program's name.
 * @param act code that may use `computeForEver`, which never leaves native code, and `whenTold`,
 *   which replaces the handler of the process's first message
 */
const doing = (program: string, act: string) => `
  import { spawn } from "node:child_process";
  import { appendFileSync } from "node:fs";
  import { Socket } from "node:net";
  import { isMainThread } from "node:worker_threads";
  const tell = (pid) => appendFileSync(process.env.TOLD, pid + "\\n");
  const computeForEver = () => {
    tell(process.pid);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  const whenTold = (then) => {
    const listen = (event) => {
      if (event !== "message") return;
      process.off("newListener", listen);
      process.once("message", then);
    };
    process.on("newListener", listen);
  };
  if (isMainThread && process.argv[1].endsWith("/process/${program}.js")) {
    ${act}
  }`;

const acts = {
  "computes forever when it should load": doing("engine-main", "whenTold(computeForEver);"),
  "computes forever after loading": doing(
    "engine-main",
    `const { write } = Socket.prototype;
     Socket.prototype.write = function (bytes, ...rest) {
       if (bytes.includes("loaded")) setTimeout(computeForEver, 100);
       return write.call(this, bytes, ...rest);
     };`,
  ),
  "prepares prompts and computes forever": doing("preparer-main", "whenTold(computeForEver);"),
  "runs an embedding model and computes forever": doing(
    "pooling-main",
    "whenTold(computeForEver);",
  ),
  "waits for a child process that computes forever": doing(
    "engine-main",
    `whenTold(() => {
       tell(spawn(process.execPath, ["-e", "for (;;);"], { env: {}, stdio: "ignore" }).pid);
       computeForEver();
     });`,
  ),
} as const;

const embeddings = ["--embedding-model", tinyModel("f32", "embed-tiny")] as const;

describe.runIf(platform() === "linux")(
  "when the daemon is killed, all of its processes exit",
  { timeout: SEVERAL_STARTS },
  () => {
    it.each(Object.entries(acts))("if a process %s", async (_, act) => {
      const folder = temporaryFolder();
      const told = join(folder, "told");
      writeFileSync(told, "");
      writeFileSync(join(folder, "act.mjs"), act);
      const args = ["--port", "0", ...serving(tinyModel()), ...embeddings];
      const daemon = spawn(process.execPath, [entry, ...args], {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          XDG_CACHE_HOME: folder,
          TOLD: told,
          NODE_OPTIONS: `--import ${pathToFileURL(join(folder, "act.mjs"))}`,
        },
        stdio: "ignore",
      });
      const pids = await eventually(() => {
        const lines = readFileSync(told, "utf8").trim().split("\n").filter(Boolean);
        expect(lines.length).toBeGreaterThan(0);
        return [...lines.map(Number), ...childrenOf({ process: daemon })];
      });
      try {
        daemon.kill("SIGKILL");
        for (const pid of pids) await eventually(() => expect(isRunning(pid)).toBe(false));
      } finally {
        for (const pid of pids.filter(isRunning)) process.kill(pid, "SIGKILL");
      }
    });
  },
);

function isRunning(pid: number): boolean {
  try {
    return !/^State:\t[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
