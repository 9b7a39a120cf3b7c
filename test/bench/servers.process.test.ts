import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { startChildServer } from "../../bench/servers/child-server.js";
import { ggufdArgs } from "../../bench/servers/ggufd.js";
import { budgetFor } from "../../bench/servers/ggufd-presets.js";
import { iniOf, llamaServer, llamaServerArgs } from "../../bench/servers/llama-server.js";
import {
  parseProportionalBytes,
  parseResidentBytes,
  readServerMemory,
} from "../../bench/servers/process-memory.js";
import {
  cpuMsPerToken,
  namedThreads,
  parseCpuMs,
  readThreadCpu,
} from "../../bench/servers/thread-cpu.js";
import { sidesOf } from "../../bench/sides.js";

const settings = {
  modelPath: "/m/x.gguf",
  purpose: "generate",
  slots: 8,
  contextSize: 512,
  threads: 2,
} as const;
const none = { oursFlags: [], peerFlags: [] };

describe("the servers of a benchmark", () => {
  it("receive the same model, slots, context size and threads", () => {
    expect(ggufdArgs(settings, 7).join(" ")).toBe(
      "serve --model /m/x.gguf --parallel 8 --context-size 512 --threads 2 --gpu off --drain-timeout 0 --port 7",
    );
    expect(llamaServerArgs(settings, 7).join(" ")).toBe(
      "-m /m/x.gguf -np 8 -c 4096 -t 2 --no-webui --host 127.0.0.1 --port 7",
    );
  });

  it("receive several models in one file each, and memory for the same number", () => {
    const files = ["a", "b", "c"].map((name) => ({ name, path: `/m/${name}.gguf` }));
    const several = { files, fitting: 2 };
    expect(llamaServerArgs({ ...settings, several }, 7).join(" ")).toBe(
      "--models-preset models.ini --models-max 2 -np 8 -c 4096 -t 2 --no-webui --host 127.0.0.1 --port 7",
    );
    expect(iniOf(several)).toBe(
      "[a]\nmodel = /m/a.gguf\n\n[b]\nmodel = /m/b.gguf\n\n[c]\nmodel = /m/c.gguf\n",
    );
    expect(ggufdArgs(settings, 7, ["--models-preset", "models.json"]).join(" ")).toBe(
      "serve --models-preset models.json --parallel 8 --context-size 512 --threads 2 --gpu off --drain-timeout 0 --port 7",
    );
  });

  it("receive the scenario's adapters, for requests that select them", () => {
    const adapted = { ...settings, adapterPaths: ["/m/a.gguf", "/m/b.gguf"] };
    expect(ggufdArgs(adapted, 7).join(" ")).toContain(
      " --lora adapter-0=/m/a.gguf --lora adapter-1=/m/b.gguf ",
    );
    expect(llamaServerArgs(adapted, 7).join(" ")).toContain(
      " --lora /m/a.gguf --lora /m/b.gguf --lora-init-without-apply ",
    );
  });

  it("receive the scenario's projector", () => {
    const seeing = { ...settings, projectorPath: "/m/p.gguf" };
    expect(ggufdArgs(seeing, 7).join(" ")).toContain(" --mmproj /m/p.gguf ");
    expect(llamaServerArgs(seeing, 7).join(" ")).toContain(" --mmproj /m/p.gguf ");
  });

  it.each([
    ["embed", "--embedding"],
    ["rerank", "--reranking"],
  ] as const)("receive a flag for the purpose %s only if they require it", (purpose, flag) => {
    expect(llamaServerArgs({ ...settings, purpose }, 7)).toContain(flag);
    expect(llamaServerArgs(settings, 7)).not.toContain(flag);
    expect(ggufdArgs({ ...settings, purpose }, 7)).toEqual(ggufdArgs(settings, 7));
  });

  it.each([
    [{ kind: "llama-server", program: process.execPath } as const, ["ggufd", "llama-server"]],
    [{ kind: "url", baseUrl: "http://127.0.0.1:8000/v1" } as const, ["ggufd", "127.0.0.1:8000"]],
    [{ kind: "none" } as const, ["ggufd"]],
  ])("are ggufd and the compared server: %j", (peer, labels) => {
    const sides = sidesOf({ kind: "peer" }, settings, { peer, ...none });
    expect(sides.map(({ label }) => label)).toEqual(labels);
  });

  it("are ggufd alone if the scenario compares nothing", () => {
    const peer = { kind: "llama-server", program: undefined } as const;
    expect(sidesOf({ kind: "alone" }, settings, { peer, ...none })).toHaveLength(1);
  });

  it("are rejected before any measurement if the path of llama-server does not exist", () => {
    expect(() => llamaServer(settings, [], "/no/llama-server")).toThrow(
      "--llama-server: expected the path of llama-server, got /no/llama-server",
    );
  });
});

describe("budgetFor", () => {
  it("fits the given number of largest models, but not one more small model", () => {
    expect(budgetFor([100, 100, 100], 2)).toBe(250);
    expect(budgetFor([120, 90, 100, 110], 2)).toBe(265);
  });

  it("rejects models of too different sizes", () => {
    expect(() => budgetFor([100, 10, 10, 10], 2)).toThrow(
      "expected models of similar sizes, of which 2 fit, got 100,10,10,10",
    );
  });
});

describe("the memory of a benchmarked server", () => {
  const at = (pid: number | undefined) =>
    readServerMemory({
      baseUrl: "http://h/v1",
      version: "1",
      command: [],
      pid,
      stop: async () => {},
    });

  it("is measured separately for its process and its child processes", async () => {
    const alone = at(process.pid);
    expect(alone.server).toBeGreaterThan(10e6);
    const child = spawn(process.execPath, ["-e", "console.log(); setInterval(() => {}, 1000)"]);
    onTestFinished(() => void child.kill());
    await once(child.stdout, "data");
    expect(at(process.pid).engine).toBeGreaterThan(alone.engine + 10e6);
  });

  it("cannot be measured for an external server", () => {
    expect(() => at(undefined)).toThrow(
      "http://h/v1: the memory of an external server cannot be read",
    );
  });

  it("is the resident memory that Linux reports", () => {
    expect(parseResidentBytes("VmHWM:\t   99 kB\nVmRSS:\t   12 kB\nThreads:\t1\n")).toBe(12_288);
    expect(parseResidentBytes("Name:\tzombie\n")).toBe(0);
    expect(parseProportionalBytes("Rss:  80 kB\nPss:  12 kB\nPss_Anon: 4 kB\n")).toBe(12_288);
    expect(parseProportionalBytes("")).toBe(0);
  });
});

describe("startChildServer", () => {
  const start = (script: string) =>
    startChildServer(
      {
        label: "toy",
        program: process.execPath,
        argsFor: (port) => ["-e", script, String(port)],
        environmentPrefix: "TOY_",
        versionOf: async () => "1",
      },
      new AbortController().signal,
    );

  it("rejects with the last output of a server that exits", async () => {
    await expect(start("console.error('no memory'); process.exit(3)")).rejects.toThrow(
      "toy cannot be started: it exited with 3: no memory",
    );
  });

  it("waits for /health, and stops the server", async () => {
    const server = await start(`
      require("node:http").createServer((request, response) => {
        response.statusCode = request.url === "/health" ? 200 : 404;
        response.end("{}");
      }).listen(process.argv[1], "127.0.0.1")`);
    expect(server.version).toBe("1");
    const { status } = await fetch(server.baseUrl.replace("/v1", "/health"));
    expect(status).toBe(200);
    await server.stop();
    await expect(fetch(server.baseUrl)).rejects.toThrow();
  });
});

describe("the CPU time of a server's threads", () => {
  it("is the first number of its schedstat, in nanoseconds", () => {
    expect(parseCpuMs("2500000 991 17\n")).toBe(2.5);
  });

  it("is split into the main thread, helpers and compute threads", () => {
    const thread = (isMain: boolean, name: string, cpuMs: number) => ({ isMain, name, cpuMs });
    const threads = [
      thread(true, "ggufd engine", 1),
      thread(false, "ggufd step", 2),
      thread(false, "node", 3),
    ];
    expect(namedThreads("engine", threads)).toEqual([
      ["engine", 1],
      ["computing", 2],
      ["engine's helpers", 3],
    ]);
  });

  it("is reported per token, between two readings", () => {
    const before = { server: 10, computing: 100 };
    const after = { server: 14, computing: 200, engine: 6 };
    expect(cpuMsPerToken(before, after, 2)).toEqual({ server: 2, computing: 50, engine: 3 });
  });

  it.runIf(process.platform === "linux")("is read from the system", () => {
    const used = readThreadCpu({ baseUrl: "", pid: process.pid } as never);
    expect(used?.["server"]).toBeGreaterThan(0);
  });

  it("is unknown for a server that the benchmark has not started", () => {
    expect(readThreadCpu({ baseUrl: "http://127.0.0.1" } as never)).toBeUndefined();
  });
});
