import { once, setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { platform } from "node:os";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { paints, png } from "../support/media-files.js";
import { imagePart, post, userSays } from "../support/media-requests.js";
import { modelWithProjector } from "../support/random-models.js";
import { metricsIn } from "../support/scraped-metrics.js";
import { SEVERAL_STARTS, start } from "./daemon.js";
import { beginStream, serving } from "./engine-of.js";

const MIB = 2 ** 20;
const REQUESTS = 70;
const LIMIT_MIB = 256;
/** Memory of code, heaps and uncollected garbage, in addition to the bodies. */
const OTHERS_MIB = 450;

/** A small picture in a large file: bytes after the picture's end are not read. */
const picture = imagePart(Buffer.concat([png(paints.rings), Buffer.alloc(20_000_000, 7)]));
const body = Buffer.from(JSON.stringify({ messages: [userSays(picture)], max_tokens: 1 }));

/** Sends `body` without the copy that `fetch` would make. */
async function statusOf(url: string, signal: AbortSignal): Promise<number | "given up"> {
  const headers = { "content-type": "application/json", "content-length": `${body.length}` };
  const call = request(`${url}/v1/chat/completions`, {
    ...{ method: "POST", headers, signal, agent: false },
  });
  call.end(body);
  try {
    const [response]: IncomingMessage[] = await once(call, "response");
    response?.resume();
    return response?.statusCode ?? 0;
  } catch (error) {
    if (signal.aborted) return "given up";
    throw error;
  }
}

/** Peak memory of a process, in bytes. */
function peakMemoryOf(pid: number | undefined): number {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kib) * 1024;
}

describe.runIf(platform() === "linux")("large bodies", { timeout: SEVERAL_STARTS }, () => {
  it("use at most the memory of --media-ram while they wait", async () => {
    const { model, projector } = modelWithProjector("pixtral-projector-tiny");
    const daemon = await start([
      ...[...serving(model), "--mmproj", projector, "--parallel", "1"],
      ...["--context-size", "50000", "--media-ram", String(LIMIT_MIB)],
    ]);
    const { text } = await beginStream(daemon.url);
    // Interrupted when the daemon is killed.
    text.catch(() => undefined);
    const ended = new AbortController();
    setMaxListeners(0, ended.signal);
    const answers = Array.from({ length: REQUESTS }, () => statusOf(daemon.url, ended.signal));
    const waiting = async () => {
      const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
      return metricsIn(metrics)["ggufd:media_memory_waiting"];
    };
    await eventually(async () => expect(await waiting()).toBeGreaterThan(REQUESTS / 2));
    // Waiting requests are refused at their time limit.
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(peakMemoryOf(daemon.process.pid)).toBeLessThan((LIMIT_MIB + OTHERS_MIB) * MIB);
    ended.abort();
    const statuses = await Promise.all(answers);
    expect(new Set(statuses)).toEqual(new Set(["given up", 503]));
    const small = await post(daemon.url, "/tokenize", { content: "a" });
    expect(small.status).toBe(200);
  });
});
