/** Entry point of a worker thread that parses, decodes and hashes large bodies and files. */
import assert from "node:assert/strict";
import { getHeapStatistics } from "node:v8";
import { parentPort } from "node:worker_threads";
import { measureJson, parseJson } from "../http/parse-json.js";
import { readInline } from "../media/inline-media.js";
import { toErrorRecord } from "../process/error-record.js";
import { openThreadHeap } from "../process/idle-garbage.js";
import { type BodyJob, type BodyReply, transferListOf } from "./body-jobs.js";

assert(parentPort !== null, "expected to run in a worker thread");
const port = parentPort;

/**
 * Growth of the heap and its external memory after which garbage is collected at once, in bytes; V8
 * would let it grow further.
 */
const COLLECTION_THRESHOLD_BYTES = 8 * 2 ** 20;

const { collect } = openThreadHeap();
let keptBytes = readUsedBytes();

port.on("message", async (job: BodyJob) => {
  await reply(job);
  if (readUsedBytes() - keptBytes < COLLECTION_THRESHOLD_BYTES) return;
  collect();
  keptBytes = readUsedBytes();
});

async function reply(job: BodyJob): Promise<void> {
  const reply = await replyTo(job);
  const isFile = reply.type === "read" && typeof reply.file !== "string";
  port.postMessage(reply, isFile ? transferListOf(reply.file.bytes) : []);
}

/** Memory of this thread's heap, including external memory, in bytes. */
function readUsedBytes(): number {
  const { used_heap_size: inHeap, external_memory: outside } = getHeapStatistics();
  return inHeap + outside;
}

async function replyTo(job: BodyJob): Promise<BodyReply> {
  try {
    if (job.type === "parse-json") {
      measureJson(job.bytes);
      return { type: "parsed", json: parseJson(job.bytes, job.verbatimMembers) };
    }
    return { type: "read", file: await readInline(job.source, job.maxBytes) };
  } catch (error) {
    return { type: "failed", error: toErrorRecord(error) };
  }
}
