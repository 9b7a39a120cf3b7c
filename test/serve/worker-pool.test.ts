import { afterEach, describe, expect, test } from "vitest";
import { WorkerPool } from "../../src/serve/worker-pool.js";

/** A worker that answers with its number, and exits or throws if a job requests it. */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort, threadId } from "node:worker_threads";
  parentPort.on("message", (job) => {
    if (job === "exit") process.exit(3);
    if (job === "throw") throw new Error("no more");
    parentPort.postMessage({ job, threadId });
  });
`)}`,
);

interface Reply {
  readonly job: string;
  readonly threadId: number;
}

const pools: WorkerPool<string, Reply>[] = [];
function poolOf(threads: number): WorkerPool<string, Reply> {
  const pool = new WorkerPool<string, Reply>({ program, threads });
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

describe("a worker pool", () => {
  test("answers each job, with at most the maximum number of threads", async () => {
    const pool = poolOf(2);
    const jobs = ["a", "b", "c", "d", "e"];
    const replies = await Promise.all(jobs.map((job) => pool.run(job)));
    expect(replies.map(({ job }) => job)).toEqual(jobs);
    expect(new Set(replies.map(({ threadId }) => threadId)).size).toBe(2);
  });

  test("reuses a thread for the next job", async () => {
    const pool = poolOf(2);
    const first = await pool.run("a");
    expect(await pool.run("b")).toMatchObject({ threadId: first.threadId });
  });

  test.each([
    ["exit", "exit code 3"],
    ["throw", "no more"],
  ])("fails only the job that ended its thread: %s", async (job, reason) => {
    const pool = poolOf(1);
    const results = await Promise.allSettled([pool.run("a"), pool.run(job), pool.run("b")]);
    expect(results).toMatchObject([
      { status: "fulfilled", value: { job: "a" } },
      {
        status: "rejected",
        reason: {
          code: "internal_error",
          message: `The thread that reads large bodies and files has ended: ${reason}.`,
        },
      },
      { status: "fulfilled", value: { job: "b" } },
    ]);
  });

  test("starts new threads after it was closed", async () => {
    const pool = poolOf(1);
    await pool.run("a");
    await pool.close();
    expect(await pool.run("b")).toMatchObject({ job: "b" });
  });
});
