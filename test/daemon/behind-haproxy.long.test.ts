import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.js";
import { tinyModel } from "../support/random-models.js";
import { childOf } from "./child-processes.js";
import { type Daemon, SEVERAL_STARTS, start, temporaryFolder } from "./daemon.js";
import {
  type Balancer,
  balance,
  configuration,
  findHaproxy,
  type ReplicaName,
  selfSigned,
} from "./haproxy.js";

const haproxy = findHaproxy();

describe.runIf(haproxy !== undefined)(
  "two daemons behind HAProxy",
  { timeout: SEVERAL_STARTS },
  () => {
    it("are reached over TLS, and get all turns of the same conversation", async () => {
      const { balancer } = await serve();
      const first = new Set<ReplicaName>();
      for (let number = 0; number < 12; number++) {
        const messages: Message[] = [
          { role: "system", content: "You are brief." },
          { role: "user", content: `Question ${number}` },
        ];
        const { replica, message } = await complete(balancer, messages);
        messages.push(message, { role: "user", content: "And then?" });
        expect((await complete(balancer, messages)).replica).toBe(replica);
        const parts = [{ type: "text", text: `Question ${number}` }];
        messages[1] = { role: "user", content: parts };
        expect((await complete(balancer, messages)).replica).toBe(replica);
        first.add(replica);
      }
      expect(first).toEqual(new Set(["a", "b"]));
    });

    it("can be restarted in turn under load without failed requests", async () => {
      const { balancer, replicas } = await serve();
      const load = startLoad(balancer, 8);
      for (const name of ["a", "b"] as const) {
        await load.answersFrom("a", "b");
        const { process, exited, url } = replicas[name];
        process.kill("SIGTERM");
        expect((await exited).code).toBe(0);
        await startReplica(name, new URL(url).port);
        await balancer.sees(name, "UP");
      }
      await load.answersFrom("a", "b");
      expect(await load.stop()).toEqual([]);
    });

    it("lose only their own running streams when one of them is killed", async () => {
      const { balancer, replicas } = await serve();
      const streams = await fillSlots(balancer);
      replicas.a.process.kill("SIGKILL");
      await expectOnlyStreamsOf("a", streams);
      await balancer.sees("a", "DOWN");
      expect((await complete(balancer, [{ role: "user", content: "Hi" }])).replica).toBe("b");
    });

    it("lose only their own running streams when an engine is killed", async () => {
      const { balancer, replicas } = await serve();
      const streams = await fillSlots(balancer);
      process.kill(childOf(replicas.a, /ggufd engine/) ?? Number.NaN, "SIGKILL");
      await expectOnlyStreamsOf("a", streams);
      await balancer.sees("a", "UP");
    });

    it("get no requests while unready, and HAProxy answers 503 if both are down", async () => {
      const { balancer, replicas } = await serve();
      replicas.b.process.kill("SIGKILL");
      await balancer.sees("b", "DOWN");
      expect((await balancer.send("/health/ready")).statusCode).toBe(200);
      replicas.a.process.kill("SIGKILL");
      await balancer.sees("a", "DOWN");
      const refused = await balancer.send("/v1/models");
      expect(refused.statusCode).toBe(503);
      expect(refused.headers["retry-after"]).toBe("2");
      expect(JSON.parse(await text(refused))).toMatchObject({
        error: { code: "model_unavailable" },
      });
      expect((await balancer.send("/health/ready")).statusCode).toBe(503);
      expect((await balancer.send("/health/live")).statusCode).toBe(200);
    });

    it("store to-dos only in the first one, however the path is written", async () => {
      const { balancer, replicas } = await serve();
      const body = { title: "one writer" };
      expect((await balancer.send("/v1/todos", { body })).statusCode).toBe(201);
      for (const path of ["/v1/todos", "//v1//todos", "/v1/%74odos", "/api/todos", "/todos"]) {
        for (const caller of "abcdefgh") {
          const headers = { authorization: `Bearer ${caller}` };
          expect(await text(await balancer.send(path, { headers })), path).toContain("one writer");
        }
      }
      replicas.b.process.kill("SIGKILL");
      expect(await text(await balancer.send("/api/todos"))).toContain("one writer");
    });

    it("get all requests of a key, so that its stored responses are found", async () => {
      const { balancer } = await serve();
      for (const key of ["ann", "ben", "cem", "dia"]) {
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        let previous: string | undefined;
        for (const input of ["one", "two", "three"]) {
          const body = { input, previous_response_id: previous, max_output_tokens: 16 };
          const answer = await balancer.send("/v1/responses", { body, headers });
          const { id } = JSON.parse(await text(answer)) as { id: string };
          expect(answer.statusCode).toBe(200);
          previous = id;
        }
      }
    });
  },
);

describe.runIf(haproxy !== undefined)("the configuration of HAProxy", () => {
  it("blocks external access to metrics, and ignores X-Forwarded-For from clients", async () => {
    const echo = createServer(({ headers }, response) => {
      response.end(JSON.stringify(headers));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void echo.close());
    await once(echo, "listening");
    const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;
    const balancer = await balance(`${haproxy}`, { a: url, b: url });
    for (const path of ["/metrics", "//metrics", "/%6detrics", "/metrics/"]) {
      expect((await balancer.send(path)).statusCode, path).toBe(404);
    }
    const headers = { "x-forwarded-for": "10.1.2.3" };
    const seen = JSON.parse(await text(await balancer.send("/v1/models", { headers })));
    expect(seen).toMatchObject({ "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "https" });
  });

  it("has no errors or warnings", () => {
    const env = { GGUFD_CERTIFICATE: selfSigned(temporaryFolder()) };
    const { status, stdout, stderr } = spawnSync(`${haproxy}`, ["-c", "-f", configuration], {
      env,
    });
    expect(`${stdout}${stderr}`).not.toMatch(/WARNING|ALERT/);
    expect(status).toBe(0);
  });
});

const flags = ["--gpu", "off", "--threads", "1", "--model", tinyModel(), "--accept-any-model"];
const SLOTS = 2;
const small = ["--parallel", String(SLOTS), "--context-size", "2560"];

/** Starts a daemon whose responses contain its name. */
const startReplica = (name: ReplicaName, port = "0") =>
  start([...flags, ...small, "--alias", name, "--port", port]);

async function serve() {
  const [a, b] = await Promise.all([startReplica("a"), startReplica("b")]);
  const balancer = await balance(`${haproxy}`, { a: a.url, b: b.url });
  return { balancer, replicas: { a, b } satisfies Record<ReplicaName, Daemon> };
}

interface Message {
  readonly role: string;
  readonly content: string | readonly object[];
}

async function complete(balancer: Balancer, messages: readonly Message[]) {
  const body = { messages, max_tokens: 4, ignore_eos: true };
  const response = await balancer.send("/v1/chat/completions", { body });
  const answer = await text(response);
  expect(response.statusCode, answer).toBe(200);
  const { model, choices } = JSON.parse(answer) as {
    model: ReplicaName;
    choices: [{ message: { content: string } }];
  };
  const message = { role: "assistant", content: choices[0].message.content };
  return { replica: model, message };
}

/** The end of a complete answer. */
const STREAMED = "data: [DONE]\n\n";
const WHOLE = "}";

interface AnswerRequest {
  readonly content: string;
  readonly maxTokens: number;
  readonly end: typeof STREAMED | typeof WHOLE;
}

/** An answer in progress, as seen by its client. */
class Answer {
  /** Undefined until the first event arrives. */
  replica: ReplicaName | undefined;
  /** Resolves on the first event, or at the end if there is none. */
  readonly begun: Promise<void>;
  readonly ended: Promise<void>;
  #onBegun: () => void = () => undefined;
  #text = "";
  #fault: string | undefined;

  constructor(balancer: Balancer, request: AnswerRequest) {
    this.begun = new Promise((resolve) => {
      this.#onBegun = resolve;
    });
    this.ended = this.#read(balancer, request).finally(() => this.#onBegun());
  }

  /** Undefined for a complete answer. */
  get fault(): string | undefined {
    return this.#fault ?? /"error":.*/.exec(this.#text)?.[0];
  }

  async #read(balancer: Balancer, { content, maxTokens, end }: AnswerRequest): Promise<void> {
    const messages = [{ role: "user", content }];
    const stream = end === STREAMED;
    const body = { messages, stream, max_tokens: maxTokens, ignore_eos: true };
    try {
      const response = await balancer.send("/v1/chat/completions", { body });
      for await (const part of response.setEncoding("utf8")) {
        this.#text += part;
        this.replica ??= /"model":"([ab])"/.exec(this.#text)?.[1] as ReplicaName | undefined;
        this.#onBegun();
      }
      if (response.statusCode !== 200) this.#fault = `${response.statusCode}: ${this.#text}`;
      else if (!this.#text.endsWith(end)) this.#fault = this.#text.slice(-200);
    } catch (error) {
      this.#fault = String(error);
    }
  }
}

/** Long streams that occupy all slots of both daemons, and the same number of waiting ones. */
async function fillSlots(balancer: Balancer): Promise<readonly Answer[]> {
  const begun: Record<ReplicaName, string[]> = { a: [], b: [] };
  for (let number = 0; Math.min(begun.a.length, begun.b.length) < 2 * SLOTS; number++) {
    const content = `Story ${number}`;
    const { replica } = await complete(balancer, [{ role: "user", content }]);
    begun[replica].push(content);
  }
  const stream = (content: string) =>
    new Answer(balancer, { content, maxTokens: 2000, end: STREAMED });
  const open = (from: number) =>
    Object.values(begun).flatMap((contents) =>
      contents.slice(from, from + SLOTS).map((content) => stream(content)),
    );
  const running = open(0);
  await Promise.all(running.map(({ begun }) => begun));
  const waiting = open(SLOTS);
  return [...running, ...waiting];
}

/** Expects the streams of one daemon to be interrupted, and all others to be completed. */
async function expectOnlyStreamsOf(lost: ReplicaName, streams: readonly Answer[]): Promise<void> {
  const waiting = streams.filter(({ replica }) => replica === undefined);
  const begunThere = streams.filter(({ replica }) => replica === lost);
  expect(waiting.length).toBeGreaterThan(0);
  await Promise.all(streams.map(({ ended }) => ended));
  const cut = streams.filter(({ fault }) => fault !== undefined);
  expect(cut.length).toBeGreaterThan(0);
  for (const stream of cut) expect(begunThere, stream.fault).toContain(stream);
}

/** Clients that send requests continuously, half of them for streams, with prompts of all sizes. */
function startLoad(balancer: Balancer, clients: number) {
  const stopped = new AbortController();
  const faults: string[] = [];
  let answered: (ReplicaName | undefined)[] = [];
  const client = async (number: number) => {
    for (let turn = 0; !stopped.signal.aborted; turn++) {
      const content = `${number}/${turn} ${"word ".repeat(turn % 40)}`;
      const end = number % 2 === 0 ? STREAMED : WHOLE;
      const answer = new Answer(balancer, { content, maxTokens: 24, end });
      await answer.ended;
      if (answer.fault !== undefined) faults.push(answer.fault);
      answered.push(answer.replica);
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return {
    /** Resolves when each daemon has answered another request. */
    async answersFrom(...replicas: ReplicaName[]): Promise<void> {
      answered = [];
      await eventually(() => expect(answered).toEqual(expect.arrayContaining(replicas)));
    },
    /** Errors of all requests. */
    async stop(): Promise<readonly string[]> {
      stopped.abort();
      await all;
      return faults;
    },
  };
}
