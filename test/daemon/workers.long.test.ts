import { execFile, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { generateRandomModel } from "../../models/random/generate.js";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { paints, png } from "../support/media-files.js";
import { chatAnswer, imagePart, userSays } from "../support/media-requests.js";
import { modelWithProjector, tinyLora, tinyModel } from "../support/random-models.js";
import { shippedModel } from "../support/shipped-model.js";
import { childrenWith } from "./child-processes.js";
import {
  type Daemon,
  entry,
  launch,
  run,
  start,
  startScreenOf,
  temporaryFolder,
} from "./daemon.js";
import { readinessOf, serving } from "./engine-of.js";
import { type StartedWorker, startWorker } from "./started-worker.js";

/** A test starts several daemons and workers, and workers are restarted with backoff. */
const LIMIT = { timeout: 240_000 };

const lora = tinyLora(2);
const tiny = [
  ...["--model", tinyModel(), "--alias", "tiny", "--lora", `poet=${lora}`],
  ...["--gpu", "off", "--threads", "1", "--parallel", "2", "--context-size", "8192"],
  // Evaluates resumed answers with the arithmetic of their first evaluation.
  ...["--kv-cache-layout", "split", "--flash-attn", "off"],
];

const tinyRequests = [
  { model: "tiny", prompt: "Hi", max_tokens: 60, temperature: 0, ignore_eos: true },
  { model: "tiny", prompt: "Hi", max_tokens: 60, temperature: 1, seed: 7, ignore_eos: true },
  { model: "poet", prompt: "Hi", max_tokens: 60, temperature: 0, ignore_eos: true },
] as const;

/** An answer during which a test kills a worker. */
const long = { ...tinyRequests[0], max_tokens: 1500 };

const schema = {
  type: "object",
  properties: { name: { type: "string", maxLength: 8 }, age: { type: "integer" } },
  required: ["name", "age"],
};
const shippedRequests = [
  { prompt: "Once upon a time", max_tokens: 40, temperature: 0 },
  { prompt: "The cat", max_tokens: 40, temperature: 0.8, seed: 3 },
  { prompt: "A person: ", max_tokens: 60, temperature: 0, json_schema: schema },
  // A repetition, which prompt lookup drafts.
  { prompt: "one two three four one two three four one two", max_tokens: 30, temperature: 0 },
] as const;

async function textOf({ url }: Pick<Daemon, "url">, body: object): Promise<string> {
  const response = await fetch(`${url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { choices?: readonly { text: string }[] };
  const [choice] = answer.choices ?? [];
  if (choice === undefined) throw new Error(JSON.stringify(answer));
  return choice.text;
}

async function textsOf(daemon: Daemon, bodies: readonly object[]): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const body of bodies) texts.push(await textOf(daemon, body));
  return texts;
}

const addressesOf = (workers: readonly StartedWorker[]) =>
  workers.map(({ address }) => address).join(",");

/** The processes that serve a worker's clients. */
const serversOf = (worker: StartedWorker) => childrenWith(worker, /ggufd worker/);

/** Begins a stream and returns its text, once some of it has arrived. */
async function beginStream({ url }: Daemon, body: object) {
  const response = await fetch(`${url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-resume-stream": "true" },
    body: JSON.stringify({ ...body, stream: true }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let events = "";
  const readMore = async () => {
    const { done, value = "" } = (await reader?.read()) ?? { done: true };
    events += value;
    return !done;
  };
  while (!/"text":"[^"]/.test(events)) expect(await readMore()).toBe(true);
  const rest = async () => {
    while (await readMore());
    return events
      .split("\n")
      .filter((line) => line.startsWith("data: {"))
      .map((line) => JSON.parse(line.slice("data: ".length)))
      .map(({ choices, error }) => (error === undefined ? choices[0]?.text : `[${error.code}]`))
      .join("");
  };
  return { text: rest() };
}

const ready = (daemon: Daemon) =>
  eventually(async () => expect((await readinessOf(daemon.url)).status).toBe(200));

describe.runIf(platform() === "linux")("a model with layers on workers", LIMIT, () => {
  it("has the same tokens as a local one, also with adapters", async () => {
    const local = await textsOf(await start(tiny), tinyRequests);
    const workers = [await startWorker(), await startWorker(), await startWorker()];
    for (const count of [1, 2, 3]) {
      const used = workers.slice(0, count);
      const daemon = await start([...[...tiny, "--rpc", addressesOf(used), "--log-level", "info"]]);
      expect(daemon.output.stderr).toMatch(/(\d+) of \1 layers on the GPU/);
      for (const worker of used) expect(serversOf(worker)).toHaveLength(1);
      expect(await textsOf(daemon, tinyRequests)).toEqual(local);
      daemon.process.kill("SIGTERM");
      expect((await daemon.exited).code).toBe(0);
      for (const worker of used) await eventually(() => expect(serversOf(worker)).toEqual([]));
    }
  });

  it("has the same tokens as a local one, with constraints and drafts, and some layers local", async () => {
    const flags = ["--model", shippedModel, "--gpu", "off", "--threads", "1", "--parallel", "2"];
    const local = await textsOf(await start(flags), shippedRequests);
    const worker = await startWorker();
    for (const layers of ["auto", "3"]) {
      const daemon = await start([...flags, ...["--rpc", worker.address, "--gpu-layers", layers]]);
      expect(daemon.output.stdout).toContain(worker.address);
      expect(await textsOf(daemon, shippedRequests)).toEqual(local);
    }
  });

  it("has the same tokens as a local one, with images", async () => {
    const { model, projector } = modelWithProjector("pixtral-projector-tiny");
    const flags = [...serving(model), "--mmproj", projector];
    const tokensOf = async ({ url }: Daemon) => {
      const messages = [userSays(imagePart(png(paints.reds)))];
      const { tokens } = await chatAnswer(url, { messages, max_tokens: 30 });
      return tokens.map(({ bytes }) => bytes);
    };
    const local = await tokensOf(await start(flags));
    expect(local).toHaveLength(30);
    const worker = await startWorker();
    const daemon = await start([...flags, "--rpc", worker.address]);
    expect(serversOf(worker)).toHaveLength(1);
    expect(await tokensOf(daemon)).toEqual(local);
  });

  it("has the same tokens as a local one, with a draft model", async () => {
    const local = await textsOf(await start(tiny), tinyRequests);
    const worker = await startWorker();
    const draft = tinyModel("q8_0");
    const daemon = await start([...tiny, "--draft", draft, "--rpc", worker.address]);
    // The engine drafts only while it measures that drafts save time.
    await eventually(async () => {
      expect(await textsOf(daemon, tinyRequests)).toEqual(local);
      const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
      expect(metrics).toMatch(/num_accepted_tokens_total\{[^}]*"model"[^}]*\} [1-9]/);
    });
  });

  it("is planned with the memory of the workers, which ggufd devices lists", async () => {
    const small = await startWorker(["--memory", "0.01"]);
    const large = await startWorker(["--memory", "0.5"]);
    const planOf = async (workers: readonly StartedWorker[]) => {
      const rpc = workers.length === 0 ? [] : ["--rpc", addressesOf(workers)];
      const { stdout } = await run(["plan", "--json", ...tiny, ...rpc]);
      const { memory, main } = JSON.parse(stdout).models[0].plan;
      return { gpuBytes: memory.free.gpuBytes, isWhole: main.gpuLayers === main.layers };
    };
    expect(await planOf([])).toEqual({ gpuBytes: 0, isWhole: false });
    expect((await planOf([small])).isWhole).toBe(false);
    expect((await planOf([large])).isWhole).toBe(true);
    const { gpuBytes } = await planOf([small, large]);
    expect(gpuBytes / 2 ** 30).toBeCloseTo(0.51, 3);
    const { stdout } = await run(["devices", ...tiny, "--rpc", addressesOf([small, large])]);
    expect(stdout).toMatch(/^worker +RPC0: 127\.0\.0\.1:\d+ +remote +10 MiB +10 MiB$/m);
    expect(stdout).toMatch(/^worker +RPC1: 127\.0\.0\.1:\d+ +remote +512 MiB +512 MiB$/m);
    const unknown = await run(["plan", ...tiny, "--rpc", small.address, "--device", "RPC1"]);
    expect(unknown.stderr).toMatch(/--device: expected one of: RPC0; got RPC1/);
  });

  it("is not served with a worker that cannot be used", async () => {
    const nowhere = `127.0.0.1:${await freePort()}`;
    const { code, stderr } = await run([...tiny, "--rpc", nowhere]);
    expect(stderr).toBe(
      `ggufd: --rpc ${nowhere}: connection refused; start "ggufd worker" there\n`,
    );
    expect(code).toBe(1);
    const { url } = await start(tiny);
    const daemon = new URL(url).host;
    const other = await run([...tiny, "--rpc", daemon]);
    expect(other.stderr).toMatch(
      /^ggufd: --rpc \S+: (expected an answer|it closed the connection)/,
    );
  });

  it("resumes its answers once a killed worker is back, and reports the worker meanwhile", async () => {
    const [kept, killed] = [await startWorker(), await startWorker()];
    const daemon = await start([...tiny, "--rpc", addressesOf([kept, killed])]);
    const undisturbed = await textOf(daemon, long);
    const answered = textOf(daemon, long);
    const { text } = await beginStream(daemon, long);
    for (const server of serversOf(killed)) process.kill(server, "SIGKILL");
    killed.child.kill("SIGKILL");
    await killed.exited;
    await eventually(async () =>
      expect(await readinessOf(daemon.url)).toEqual({
        status: 503,
        body: {
          status: "restarting model",
          reason: `the worker ${killed.address} cannot be used`,
        },
      }),
    );
    const { port } = await startWorker([], killed.port);
    expect(port).toBe(killed.port);
    expect(await Promise.all([text, answered])).toEqual([undisturbed, undisturbed]);
    await ready(daemon);
    expect(daemon.process.exitCode).toBe(null);
  });

  it("resumes its answers after a worker hangs", async () => {
    const worker = await startWorker();
    const daemon = await start([...tiny, "--rpc", worker.address, "--engine-watchdog", "3"]);
    const undisturbed = await textOf(daemon, long);
    const { text } = await beginStream(daemon, long);
    const [hung = 0] = serversOf(worker);
    process.kill(hung, "SIGSTOP");
    expect(await text).toBe(undisturbed);
    expect(daemon.output.stderr).toMatch(/killed: no \w.* for 3 s with 1 generation in flight/);
    process.kill(hung, "SIGKILL");
  });

  it("sends weights once, and loads them from the worker's cache afterwards", async () => {
    const cache = temporaryFolder();
    const worker = await startWorker(["--cache-dir", cache]);
    // Only tensors above 10 MiB are cached: its output layer has 50,257 rows of 64 elements.
    const path = join(temporaryFolder(), "large-vocabulary.gguf");
    generateRandomModel({ shape: "tiny", type: "f32", seed: 1, tokenizer: "gpt-2", path });
    const answer = async () => {
      const daemon = await start([
        ...["--model", path, "--gpu", "off", "--threads", "1", "--rpc", worker.address],
      ]);
      const text = await textOf(daemon, { prompt: "Hi", max_tokens: 8, temperature: 0 });
      daemon.process.kill("SIGTERM");
      await daemon.exited;
      return text;
    };
    const text = await answer();
    const [file = "", ...others] = readdirSync(cache);
    expect(file).toMatch(/^[0-9a-f]{16}$/);
    expect(others).toEqual([]);
    expect(await answer()).toBe(text);
    // The worker uses the file: other weights give another answer.
    const cached = join(cache, file);
    writeFileSync(cached, readFileSync(cached).fill(0));
    expect(await answer()).not.toBe(text);
  });
});

const ip = (...args: readonly string[]) => spawnSync("ip", args, { encoding: "utf8" });

/** Whether this machine lets the tests create networks. */
const hasNetworks = (() => {
  if (platform() !== "linux" || process.getuid?.() !== 0) return false;
  const name = `ggufd-probe-${process.pid}`;
  const isPossible = ip("netns", "add", name).status === 0;
  ip("netns", "del", name);
  return isPossible;
})();

/** A network with two machines: the daemon's, and a worker's at 10.99.0.2. */
function createNetwork() {
  const [daemonSide, workerSide] = [`ggufd-d-${process.pid}`, `ggufd-w-${process.pid}`];
  onTestFinished(() => {
    for (const name of [daemonSide, workerSide]) ip("netns", "del", name);
  });
  const inNamespace = (name: string, ...command: readonly string[]) =>
    ip("netns", "exec", name, ...command);
  for (const name of [daemonSide, workerSide]) {
    ip("netns", "add", name);
    inNamespace(name, "ip", "link", "set", "lo", "up");
  }
  ip(
    ...["link", "add", "d0", "netns", daemonSide, "type", "veth"],
    ...["peer", "name", "w0", "netns", workerSide],
  );
  const sides = [
    [daemonSide, "d0", "10.99.0.1/24"],
    [workerSide, "w0", "10.99.0.2/24"],
  ] as const;
  for (const [name, device, address] of sides) {
    inNamespace(name, "ip", "addr", "add", address, "dev", device);
    inNamespace(name, "ip", "link", "set", device, "up");
  }
  return {
    /** Program and arguments that run ggufd on a side. */
    command: (side: "daemon" | "worker", args: readonly string[]) => {
      const name = side === "daemon" ? daemonSide : workerSide;
      return ["netns", "exec", name, process.execPath, entry, ...args];
    },
    impair: (...netem: readonly string[]) =>
      inNamespace(workerSide, "tc", "qdisc", "replace", "dev", "w0", "root", "netem", ...netem),
    set: (state: "up" | "down") => inNamespace(workerSide, "ip", "link", "set", "w0", state),
    /** Sends a request from the daemon's side. */
    complete: async (url: string, body: object): Promise<string> => {
      const script = `fetch(process.argv[1], JSON.parse(process.argv[2])).then((answer) => answer.text()).then(console.log)`;
      const headers = { "content-type": "application/json" };
      const request = JSON.stringify({ method: "POST", headers, body: JSON.stringify(body) });
      const args = ["netns", "exec", daemonSide, process.execPath, "-e", script, url, request];
      const { stdout } = await promisify(execFile)("ip", args);
      return JSON.parse(stdout).choices[0].text;
    },
  };
}

describe.runIf(hasNetworks)("a worker on another machine", LIMIT, () => {
  it("computes the same tokens over a slow network with losses, and after a cut", async () => {
    const network = createNetwork();
    const folder = temporaryFolder();
    const env = { PATH: process.env.PATH, XDG_CACHE_HOME: folder, XDG_DATA_HOME: folder };
    const local = await textOf(await start(tiny), tinyRequests[0]);
    // Not every kernel has this queueing discipline; the cut below needs none.
    network.impair("delay", "3ms", "1ms", "loss", "1%");
    const worker = launch(
      "ip",
      network.command("worker", [
        ...["worker", "--gpu", "off", "--threads", "1", "--insecure-network"],
        ...["--listen", "10.99.0.2:50052"],
      ]),
      { cwd: folder, env },
    );
    await eventually(() => expect(worker.output.stdout).toContain("10.99.0.2:50052"));
    const daemon = await startScreenOf(
      launch(
        "ip",
        network.command("daemon", [
          ...[...tiny, "--port", "0", "--rpc", "10.99.0.2", "--engine-watchdog", "3"],
        ]),
        { cwd: folder, env },
      ),
    );
    if ("code" in daemon) throw new Error(daemon.stderr);
    const answer = () => network.complete(`${daemon.url}/v1/completions`, tinyRequests[0]);
    expect(await answer()).toBe(local);
    network.set("down");
    const answered = answer();
    await eventually(() => expect(daemon.output.stderr).toMatch(/killed: no \w.* for 3 s/));
    network.set("up");
    expect(await answered).toBe(local);
  });
});
