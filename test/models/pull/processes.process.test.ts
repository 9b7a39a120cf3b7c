import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { type Fault, ggufOf, sha256Of } from "../../support/model-sources/file-answers.js";
import { HubStandIn } from "../../support/model-sources/hub.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { filesBelow, pulling } from "./pulling.js";

const main = fileURLToPath(new URL("pull-main.ts", import.meta.url));
const content = ggufOf(300_000);
const PLACE = "hf/user/repo/m-Q4_0.gguf";

interface PullingProcess {
  readonly child: ChildProcess;
  /** Reports received so far. */
  readonly told: { readonly type: string }[];
}

function pullInProcess(root: string, hub: HubStandIn): PullingProcess {
  const args = ["--import", "tsx", main, root, hub.api.origin, "user/repo"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const told: { readonly type: string }[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => told.push(JSON.parse(line)));
  return { child, told };
}

const typesOf = ({ told }: PullingProcess) => told.map(({ type }) => type);

async function hubWith(...faults: Fault[]) {
  return HubStandIn.start({ files: { "m-Q4_0.gguf": content }, faults });
}

test("partial files of a killed process are resumed and never listed", async () => {
  const root = await temporaryFolder();
  const hub = await hubWith({ kind: "stalls", afterBytes: 100_000 });
  const { pull, own, store } = await pulling(hub.environment, { root });
  const { child } = pullInProcess(root, hub);
  const part = join(own, `${PLACE}.part`);
  await eventually(async () => expect((await stat(part)).size).toBe(100_000));
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
  expect((await store.list()).models).toEqual([]);
  const { model } = await pull("user/repo");
  expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
  expect(hub.storage.requests.map(({ headers }) => headers.range)).toEqual([
    undefined,
    "bytes=100000-",
  ]);
  expect(await filesBelow(own)).toEqual([PLACE, `manifests/${PLACE}.json`]);
});

test("two processes that pull the same file download it once", async () => {
  const root = await temporaryFolder();
  const hub = await hubWith({ kind: "stalls", afterBytes: 100_000 });
  const first = pullInProcess(root, hub);
  const part = join(root, "own", `${PLACE}.part`);
  await eventually(async () => expect((await stat(part)).size).toBe(100_000));
  const second = pullInProcess(root, hub);
  await eventually(() => expect(typesOf(second)).toContain("waiting"));
  // The stalled connection breaks, and the first process continues.
  hub.storage.closeConnections();
  await eventually(() => expect(typesOf(second).at(-1)).toBe("pulled"));
  expect(typesOf(first).at(-1)).toBe("pulled");
  expect(typesOf(second)).toEqual(["resolving", "resolved", "waiting", "pulled"]);
  expect(hub.storage.requests.map(({ headers }) => headers.range)).toEqual([
    undefined,
    "bytes=100000-",
  ]);
  expect(await filesBelow(join(root, "own"))).toEqual([PLACE, `manifests/${PLACE}.json`]);
});
