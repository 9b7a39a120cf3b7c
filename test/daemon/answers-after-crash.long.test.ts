import { platform } from "node:os";
import OpenAI, { APIError, InternalServerError } from "openai";
import { describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyLora, tinyModel } from "../support/random-models.js";
import { metricsIn } from "../support/scraped-metrics.js";
import { childOf } from "./child-processes.js";
import { type Daemon, SEVERAL_STARTS, start } from "./daemon.js";

const request = { model: "tiny", prompt: "Hi", max_tokens: 400 };
/** An extension of OpenAI's interface. */
const endless = { ignore_eos: true };
const greedy = { ...request, ...endless, temperature: 0 };
const seeded = { ...request, ...endless, temperature: 1, seed: 7, presence_penalty: 0.5 };
/** An answer that takes long enough for the test to kill the engine. */
const unending = <Body extends object>(body: Body) => ({ ...body, max_tokens: 30_000 });

const serve = (...args: string[]) =>
  start([
    ...["--gpu", "off", "--threads", "1", "--model", tinyModel(), "--alias", "tiny"],
    ...["--context-size", "32768", "--parallel", "2", ...args],
  ]);

function clientOf({ url }: Daemon, resumeStreams?: boolean) {
  const defaultHeaders =
    resumeStreams === undefined ? {} : { "x-resume-stream": String(resumeStreams) };
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", defaultHeaders });
}

async function textOf(client: OpenAI, body: typeof greedy): Promise<string> {
  const { choices } = await client.completions.create(body);
  return choices[0]?.text ?? "";
}

async function failureOf(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(
    () => "an answer",
    (error: unknown) => error,
  );
}

async function engineOf(daemon: Daemon): Promise<number> {
  return eventually(() => {
    const engine = childOf(daemon, /ggufd engine|\/main\.js/);
    if (engine === undefined) throw new Error("the daemon has no engine process");
    return engine;
  });
}

async function becomes(status: 200 | 503, { url }: Daemon): Promise<void> {
  await eventually(async () => {
    expect((await fetch(`${url}/health/ready`)).status).toBe(status);
  });
}

/** Number of requests that are running, waiting or answered. */
async function arrivedAt({ url }: Daemon): Promise<number> {
  const metrics = metricsIn(await (await fetch(`${url}/metrics`)).text());
  return Object.entries(metrics)
    .filter(([name]) => /^ggufd:(num_requests_|request_success_total)/.test(name))
    .reduce((sum, [, value]) => sum + value, 0);
}

/** Kills the engine, and waits until another one runs. */
async function loseEngine(daemon: Daemon): Promise<void> {
  process.kill(await engineOf(daemon), "SIGKILL");
  await becomes(503, daemon);
  await becomes(200, daemon);
}

/**
 * Reads a stream; the engine is killed after given numbers of chunks.
 * @returns the text, and the code of the iterator's error
 */
async function read(
  daemon: Daemon,
  client: OpenAI,
  body: typeof greedy,
  killAfter: readonly number[],
) {
  let text = "";
  let texts = 0;
  try {
    for await (const { choices } of await client.completions.create({ ...body, stream: true })) {
      text += choices[0]?.text ?? "";
      if (killAfter.includes(++texts)) process.kill(await engineOf(daemon), "SIGKILL");
    }
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    return { text, error: error.code };
  }
  return { text, error: undefined };
}

/** Reads only the given number of characters of an answer. */
async function beginningOf(client: OpenAI, body: typeof greedy, length: number): Promise<string> {
  let text = "";
  for await (const { choices } of await client.completions.create({ ...body, stream: true })) {
    text += choices[0]?.text ?? "";
    if (text.length >= length) break;
  }
  return text.slice(0, length);
}

describe.runIf(platform() === "linux")(
  "after a crash of the engine, an OpenAI client",
  { timeout: SEVERAL_STARTS },
  () => {
    it("gets complete answers to running and queued requests", async () => {
      const daemon = await serve();
      const client = clientOf(daemon);
      const expected = [await textOf(client, greedy), await textOf(client, seeded)];
      const first = client.completions.create({ ...unending(greedy), stream: true });
      const answers = [greedy, seeded, greedy, seeded].map((body) => textOf(client, body));
      for await (const _ of await first) {
        // Later requests find no engine.
        await eventually(async () =>
          expect(await arrivedAt(daemon)).toBe(expected.length + 1 + answers.length),
        );
        process.kill(await engineOf(daemon), "SIGKILL");
        break;
      }
      expect(await Promise.all(answers)).toEqual([...expected, ...expected]);
    });

    it("gets a single error in a started stream, unless it requests resumption", async () => {
      const daemon = await serve();
      const cut = await read(daemon, clientOf(daemon), unending(seeded), [20]);
      expect(cut.error).toBe("model_unavailable");
      await becomes(200, daemon);
      const client = clientOf(daemon);
      expect(await beginningOf(client, unending(seeded), cut.text.length)).toBe(cut.text);
      const undisturbed = await textOf(client, seeded);
      const resumed = await read(daemon, clientOf(daemon, true), seeded, [20, 120]);
      expect(resumed).toEqual({ text: undisturbed, error: undefined });
    });

    it("gets complete streams with --resume-streams, unless it opts out", async () => {
      const daemon = await serve("--resume-streams");
      const undisturbed = await textOf(clientOf(daemon), greedy);
      const resumed = await read(daemon, clientOf(daemon), greedy, [30]);
      expect(resumed).toEqual({ text: undisturbed, error: undefined });
      const unwanted = await read(daemon, clientOf(daemon, false), unending(greedy), [30]);
      expect(unwanted.error).toBe("model_unavailable");
    });

    it("gets the rest of the answer with the LoRA adapter of its request", async () => {
      const daemon = await serve("--resume-streams", "--lora", `poet=${tinyLora(2)}`);
      const [plain, adapted] = [greedy, { ...greedy, model: "poet" }];
      const undisturbed = await textOf(clientOf(daemon), adapted);
      expect(undisturbed).not.toBe(await textOf(clientOf(daemon), plain));
      const resumed = await read(daemon, clientOf(daemon), adapted, [30]);
      expect(resumed).toEqual({ text: undisturbed, error: undefined });
    });

    it("gets 500 without retries for a request that was running in three crashes", async () => {
      const daemon = await serve();
      const client = clientOf(daemon);
      const culprit = failureOf(client.completions.create({ ...greedy, max_tokens: 30_000 }));
      await eventually(async () => {
        const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
        expect(metrics).toContain('ggufd:num_requests_running{model_name="tiny"} 1');
      });
      for (let loss = 0; loss < 3; loss++) await loseEngine(daemon);
      expect(await culprit).toBeInstanceOf(InternalServerError);
      expect(await culprit).toMatchObject({ status: 500, code: "crashes_engine" });
      expect(await textOf(client, { ...greedy, max_tokens: 3 })).not.toBe("");
      daemon.process.kill("SIGTERM");
      const { stderr } = await daemon.exited;
      expect(stderr.match(/"request_sha256":"[0-9a-f]{64}"/g)).toHaveLength(1);
    });

    it("gets 400 for an invalid value of the resume option", async () => {
      const daemon = await serve();
      const headers = { "x-resume-stream": "maybe" };
      const refused = failureOf(clientOf(daemon).completions.create(greedy, { headers }));
      expect(await refused).toMatchObject({
        status: 400,
        param: "x-resume-stream",
        message: expect.stringContaining('expected true or false, got "maybe"'),
      });
    });
  },
);
