import assert from "node:assert/strict";
import { availableParallelism } from "node:os";
import type { ParseLargeJson } from "../http/json-body.js";
import type { ReadInline } from "../media/inline-media.js";
import { fromErrorRecord } from "../process/error-record.js";
import { type BodyJob, type BodyReply, transferListOf } from "./body-jobs.js";
import { WorkerPool } from "./worker-pool.js";

/** Reads large bodies and their embedded files outside the event loop. */
export interface BodyWorkers {
  readonly parseLargeJson: ParseLargeJson;
  readonly readLarge: ReadInline;
  close(): Promise<void>;
}

/**
 * Two threads if a core is left for the second one, so that one large body does not wait for
 * another.
 */
const THREADS = availableParallelism() > 2 ? 2 : 1;

/** Opens the pool of body workers. Threads start when they are first needed. */
export function openBodyWorkers(
  program = new URL("./body-worker-main.js", import.meta.url),
): BodyWorkers {
  const pool = new WorkerPool<BodyJob, BodyReply>({ program, threads: THREADS });
  const run = async (job: BodyJob, transferList: readonly ArrayBuffer[] = []) => {
    const reply = await pool.run(job, transferList);
    if (reply.type === "failed") throw fromErrorRecord(reply.error);
    return reply;
  };
  return {
    async parseLargeJson(bytes, written) {
      const reply = await run(
        { type: "parse-json", bytes, verbatimMembers: written },
        transferListOf(bytes),
      );
      assert(reply.type === "parsed");
      return reply.json;
    },
    async readLarge(source, maxBytes) {
      const reply = await run({ type: "read-file", source, maxBytes });
      assert(reply.type === "read");
      return reply.file;
    },
    close: () => pool.close(),
  };
}
