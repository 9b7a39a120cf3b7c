import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import PQueue from "p-queue";
import { afterAll, describe, it, type TestContext } from "vitest";
import { builtDaemon } from "../support/built-daemon.js";
import { freePort } from "../support/free-port.js";
import { killGroup } from "../support/kill-group.js";
import { outputOf } from "../support/output-of.js";
import { writeLocalModels } from "./local-models.js";
import { checkOutUpstreamTests } from "./upstream-sources.js";

/** Milliseconds of a file, including the wait for the files before it. */
const TIMEOUT = 45 * 60_000;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const python = process.env.PYTHON ?? "python3";

const folder = mkdtempSync(join(tmpdir(), "ggufd-llama-server-"));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
requirePytest();
const tests = checkOutUpstreamTests(join(folder, "llama.cpp"));
const files = readdirSync(join(tests, "unit")).filter((name) => /^test_.+\.py$/.test(name));
const environment = await createEnvironment();
const queue = new PQueue({ concurrency: availableParallelism() });

describe("llama-server's own tests", () => {
  it.concurrent.for(files)("%s", { timeout: TIMEOUT }, async (file, { onTestFinished }) => {
    await queue.add(() => runPytest(file, onTestFinished));
  });
});

function requirePytest(): void {
  const { status } = spawnSync(python, ["-c", "import pytest, requests"]);
  if (status !== 0) {
    throw new Error(
      `${python} has no pytest or no requests: apt-get install python3-pytest python3-requests`,
    );
  }
}

/** An environment without the user's files and without a network. */
async function createEnvironment(): Promise<NodeJS.ProcessEnv> {
  const home = join(folder, "home");
  mkdirSync(home);
  const { huggingFaceCache, downloads } = await writeLocalModels(join(folder, "models"));
  const downloadsFile = join(folder, "downloads.json");
  writeFileSync(downloadsFile, JSON.stringify(downloads));
  return {
    PATH: process.env.PATH,
    HOME: home,
    // The port 9, discard, has no server: repositories that are not in the cache are not found.
    HF_ENDPOINT: "http://127.0.0.1:9",
    HF_HUB_CACHE: huggingFaceCache,
    LLAMA_SERVER_BIN_PATH: builtDaemon,
    PYTHONPATH: here("python"),
    PYTHONDONTWRITEBYTECODE: "1",
    PYTEST_ADDOPTS: process.env.PYTEST_ADDOPTS ?? "",
    TEST_DIFFERENCES: here("differences.json"),
    TEST_DOWNLOADS: downloadsFile,
  };
}

/** @throws {Error} with pytest's report, if a test has failed that should pass, or the reverse */
async function runPytest(
  file: string,
  onTestFinished: TestContext["onTestFinished"],
): Promise<void> {
  const data = join(folder, file);
  mkdirSync(data);
  const options = ["-p", "ggufd_plugin", "-p", "no:cacheprovider", "-m", "not slow", "-q"];
  const child = spawn(python, ["-m", "pytest", ...options, "--tb=short", `unit/${file}`], {
    cwd: tests,
    detached: true,
    env: {
      ...environment,
      PORT: String(await freePort()),
      GGUFD_TODOS: join(data, "todos.json"),
      GGUFD_CONVERSATIONS: "none",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => killGroup(child));
  const output = outputOf(child);
  const [exitCode] = await once(child, "close");
  // Of PYTEST_ADDOPTS that select tests, some files have none: 5.
  if (exitCode !== 0 && exitCode !== 5) throw new Error(`${output.stdout}${output.stderr}`);
}
