import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { readNumaNodes } from "../../src/engine/threads/numa-nodes.js";
import { bindToCores } from "../../src/process/bind-cores.js";
import { engineSettings } from "../support/engine-settings.js";

/** Starts a thread, prints a line, and starts another thread for each line that it reads. */
const PROGRAM = `
const { Worker } = require("node:worker_threads");
const start = () => new Worker("setInterval(() => {}, 1000)", { eval: true }).once("online", () => console.log("started"));
process.stdin.on("data", start);
start();
`;

/** Starts a process with several threads. */
async function startThreads(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ["-e", PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  const { pid } = child;
  if (pid === undefined) throw new Error("the process could not be started");
  return Object.assign(child, { pid });
}

/** Returns the cores of each thread of a process. */
function coresOf(pid: number): readonly string[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, "utf8");
    return /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "unknown";
  });
}

/** Last core that this process may use. */
const core = readNumaNodes().flat(2).at(-1) ?? 0;

function bind(pid: number, options: { readonly taskset?: string } = {}) {
  const messages: string[] = [];
  const settings = bindToCores(
    { ...engineSettings, threads: "auto", cores: [core] },
    { log: (level, message) => void messages.push(`${level}: ${message}`), pid, ...options },
  );
  return { settings, messages };
}

describe.runIf(process.platform === "linux")("an engine's process", () => {
  test("is bound to its cores with all threads, also later ones", async () => {
    const child = await startThreads();
    const { settings, messages } = bind(child.pid);
    expect(messages).toEqual([]);
    expect(settings.threads).toBe("auto");
    const before = coresOf(child.pid);
    expect(new Set(before)).toEqual(new Set([`${core}`]));
    child.stdin?.write("\n");
    if (child.stdout !== null) await once(child.stdout, "data");
    const after = coresOf(child.pid);
    expect(after.length).toBeGreaterThan(before.length);
    expect(new Set(after)).toEqual(new Set([`${core}`]));
  });

  test("has a thread for each of its cores where it cannot be bound, with a warning", async () => {
    const { pid } = await startThreads();
    const before = coresOf(pid);
    const { settings, messages } = bind(pid, { taskset: "/nonexistent/taskset" });
    expect(settings.threads).toBe(1);
    expect(messages).toEqual([
      expect.stringMatching(`^warn: the replica is not bound to the cores ${core}: .*ENOENT`),
    ]);
    expect(coresOf(pid)).toEqual(before);
  });

  test("keeps configured threads where it cannot be bound", () => {
    const settings = { ...engineSettings, threads: 3, cores: [core] };
    const options = { log: () => undefined, taskset: "/nonexistent/taskset" };
    expect(bindToCores(settings, options)).toEqual(settings);
  });

  test("is not restricted without cores", () => {
    expect(bindToCores(engineSettings, { log: () => undefined })).toBe(engineSettings);
  });
});
