import { expect } from "vitest";
import { eventually } from "../support/eventually.js";
import { childOf } from "./child-processes.js";
import type { Daemon } from "./daemon.js";

/** The flags of a daemon that serves a small model as `tiny`. */
export const serving = (model: string) =>
  ["--gpu", "off", "--threads", "1", "--model", model, "--alias", "tiny"] as const;

/** The process of a daemon's engine. */
export function engineOf(daemon: Daemon): number {
  const engine = childOf(daemon, /ggufd engine|\/main\.js/);
  if (engine === undefined) throw new Error("the daemon has no engine process");
  return engine;
}

export const chat = (url: string, body: object) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...body }),
  });

/** A stream that has sent text. */
export interface BegunStream {
  /** Complete text, once it has ended. */
  readonly text: Promise<string>;
}

/** Begins a stream that ends by a fault only, and waits for its first text. */
export async function beginStream(url: string): Promise<BegunStream> {
  const { body } = await chat(url, { stream: true, ignore_eos: true });
  if (body === null) throw new Error("the stream has no body");
  const chunks = body.pipeThrough(new TextDecoderStream()).getReader();
  let begun = "";
  while (!/"content":"[^"]/.test(begun)) {
    const { done, value } = await chunks.read();
    if (done) throw new Error(`the stream has ended: ${begun}`);
    begun += value;
  }
  const readRest = async () => {
    let text = begun;
    for (;;) {
      const { done, value } = await chunks.read();
      if (done) return text;
      text += value;
    }
  };
  return { text: readRest() };
}

/** Waits until the metrics report these numbers of running and waiting requests. */
export const requestsInFlight = (url: string, counts: { running: number; waiting: number }) =>
  eventually(async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const [state, count] of Object.entries(counts))
      expect(metrics).toMatch(new RegExp(`^ggufd:num_requests_${state}\\{.*\\} ${count}$`, "m"));
  });

/** Status and body of `/health/ready`. */
export async function readinessOf(url: string) {
  const response = await fetch(`${url}/health/ready`);
  return { status: response.status, body: await response.json() };
}
