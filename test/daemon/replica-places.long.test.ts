import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, platform } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { childrenWith } from "./child-processes.js";
import { type Daemon, run, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import { chat } from "./engine-of.js";

const tiny = ["--gpu", "off", "--alias", "tiny", "--parallel", "1", "--context-size", "256"];

/** Cores of each engine process of a daemon, in ascending order. */
function boundCores(daemon: Daemon): readonly string[] {
  return childrenWith(daemon, /ggufd engine/)
    .map((pid) => {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      return /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? "unknown";
    })
    .toSorted();
}

/** Fields of `GET /props` and `GET /slots` that the tests read. */
interface Replica {
  readonly status: string;
  readonly cores: readonly number[];
}
interface Slot {
  readonly id: number;
  readonly replica: number;
  readonly n_held: number;
}

async function read<Answer>(daemon: Daemon, path: string, options?: RequestInit): Promise<Answer> {
  return (await fetch(`${daemon.url}${path}`, options)).json() as Promise<Answer>;
}

/** Waits until all replicas run, and returns their places. */
async function runningReplicas(daemon: Daemon): Promise<readonly Replica[]> {
  return eventually(async () => {
    const { replicas } = await read<{ readonly replicas: readonly Replica[] }>(daemon, "/props");
    expect(replicas.map(({ status }) => status)).toEqual(["running", "running"]);
    return replicas;
  });
}

describe.runIf(platform() === "linux" && availableParallelism() > 1)(
  "replicas on cores",
  { timeout: SEVERAL_STARTS },
  () => {
    it("are bound to them, also after a crash, and have folders for their states", async () => {
      const states = temporaryFolder();
      const daemon = await start([
        ...["--model", tinyModel(), ...tiny, "--replicas", "2", "--cache-dir", states],
      ]);
      const [first, second] = await runningReplicas(daemon);
      expect(first?.cores.filter((core) => second?.cores.includes(core))).toEqual([]);
      const bound = boundCores(daemon);
      expect(new Set(bound).size).toBe(2);
      expect(readdirSync(states)).toContain("replica-1");

      const [killed] = childrenWith(daemon, /ggufd engine/);
      if (killed === undefined) throw new Error("there is no engine process");
      process.kill(killed, "SIGKILL");
      await eventually(async () => {
        expect(childrenWith(daemon, /ggufd engine/)).not.toContain(killed);
        expect(boundCores(daemon)).toEqual(bound);
      });
      await runningReplicas(daemon);
    });

    it("restore each other's saved slots", async () => {
      const saved = temporaryFolder();
      const daemon = await start([
        ...["--model", tinyModel(), ...tiny, "--replicas", "2", "--slot-save-path", saved],
      ]);
      await runningReplicas(daemon);
      expect((await chat(daemon.url, { max_tokens: 4 })).status).toBe(200);
      const command = (slot: number, action: string) =>
        read<Readonly<Record<string, number>>>(daemon, `/slots/${slot}?action=${action}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ filename: "conversation" }),
        });
      const slots = await read<readonly Slot[]>(daemon, "/slots");
      expect(slots.map(({ replica }) => replica)).toEqual([0, 1]);
      const used = slots.find(({ n_held }) => n_held > 0)?.id ?? 0;
      const { n_saved = 0 } = await command(used, "save");
      expect(n_saved).toBeGreaterThan(0);
      expect(await command(1 - used, "restore")).toMatchObject({ n_restored: n_saved });
      expect(readdirSync(saved)).toContain("conversation.state");
      expect(await read(daemon, "/slots")).toMatchObject([
        { n_held: n_saved },
        { n_held: n_saved },
      ]);
    });

    it("are refused with the number that fits", async () => {
      const model = join(temporaryFolder(), "missing.gguf");
      const missing = await run(["--model", model, ...tiny, "--replicas", "2"]);
      expect(missing.stderr).toContain(model);
      const { code, stderr } = await run(["--model", tinyModel(), ...tiny, "--replicas", "64"]);
      expect(code).toBe(1);
      expect(stderr).toMatch(/--replicas 64: .*; it would fit with --replicas \d+/);
    });
  },
);
