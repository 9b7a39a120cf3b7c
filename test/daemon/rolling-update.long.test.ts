import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { type Daemon, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";

/** The settings of the daemons in deploy/kubernetes. */
const manifest = new URL("../../deploy/kubernetes/base/ggufd.json", import.meta.url);

const KEY = "a-key-of-the-pods";

/** A daemon as in a pod, with the requests that were sent to it. */
interface Pod {
  readonly daemon: Daemon;
  /** URL without a key. */
  readonly metricsUrl: string;
  /** Requests whose answers have not begun. */
  waiting: number;
  /** Answers that have begun. */
  begun: number;
}

it("a rolling update of pods completes every stream and refuses no request", {
  timeout: 2 * SEVERAL_STARTS,
}, async () => {
  const endpoints = await Promise.all([startPod(), startPod()]);
  const load = startLoad(endpoints, 6);
  for (const old of [...endpoints]) {
    // As a deployment with maxSurge 1 and maxUnavailable 0.
    const next = await startPod();
    await eventually(async () => expect(await isReady(next)).toBe(true));
    endpoints.push(next);
    await eventually(() => expect(next.begun).toBeGreaterThan(0));
    let hasBegun = false;
    const long = stream(old, 2000, () => {
      hasBegun = true;
    });
    await eventually(() => expect(hasBegun).toBe(true));
    endpoints.splice(endpoints.indexOf(old), 1);
    // The pause of preStop: requests that were on their way have arrived.
    await eventually(() => expect(old.waiting).toBe(0));
    old.daemon.process.kill("SIGTERM");
    expect(await long).toBeUndefined();
    expect((await old.daemon.exited).code).toBe(0);
  }
  expect(await load.stop()).toEqual([]);
});

async function startPod(): Promise<Pod> {
  const folder = temporaryFolder();
  const keys = join(folder, "keys");
  writeFileSync(keys, `${KEY}\n`);
  const config = join(folder, "ggufd.json");
  const settings = JSON.parse(readFileSync(manifest, "utf8")) as object;
  writeFileSync(
    config,
    JSON.stringify({
      ...settings,
      ...{ model: tinyModel(), apiKeyFile: keys, metricsListen: ["127.0.0.1:0"] },
      ...{ gpu: "off", threads: 1, parallel: 2, contextSize: 2560 },
    }),
  );
  const daemon = await start(["--config", config]);
  const metricsUrl = /^ {2}metrics +(\S+)\/metrics without a key$/m.exec(daemon.output.stdout)?.[1];
  if (metricsUrl === undefined) throw new Error(`no metrics in ${daemon.output.stdout}`);
  return { daemon, metricsUrl, waiting: 0, begun: 0 };
}

/** Asks without a key, as the endpoint picker does. */
async function isReady({ metricsUrl }: Pod): Promise<boolean> {
  const response = await fetch(`${metricsUrl}/metrics`);
  return /^ggufd:ready 1$/m.test(await response.text());
}

/** @returns the fault of the stream; `undefined` for a complete one */
async function stream(
  pod: Pod,
  maxTokens: number,
  onBegun: () => void = () => undefined,
): Promise<string | undefined> {
  let text = "";
  let isWaiting = true;
  pod.waiting++;
  const begin = () => {
    if (!isWaiting) return;
    isWaiting = false;
    pod.waiting--;
    pod.begun++;
    onBegun();
  };
  try {
    const response = await fetch(`${pod.daemon.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        messages: [{ role: "user", content: "Tell me a story." }],
        stream: true,
        max_tokens: maxTokens,
        ignore_eos: true,
      }),
    });
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true });
      begin();
    }
    if (response.status !== 200) return `${response.status}: ${text}`;
    return text.endsWith("data: [DONE]\n\n") && !text.includes('"error"')
      ? undefined
      : text.slice(-200);
  } catch (error) {
    return String(error);
  } finally {
    begin();
  }
}

/** Clients that send one request after another, each to the next ready pod. */
function startLoad(endpoints: readonly Pod[], clients: number) {
  const stopped = new AbortController();
  const faults: string[] = [];
  let requests = 0;
  const client = async () => {
    while (!stopped.signal.aborted) {
      const pod = endpoints[requests++ % endpoints.length];
      if (pod === undefined) throw new Error("expected a ready pod");
      const fault = await stream(pod, 24);
      if (fault !== undefined) faults.push(fault);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    /** Faults of all requests. */
    async stop(): Promise<readonly string[]> {
      stopped.abort();
      await all;
      return faults;
    },
  };
}
