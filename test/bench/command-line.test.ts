import { describe, expect, it } from "vitest";
import { helpText, parseCommandLine } from "../../bench/command-line.js";
import { scenarios } from "../../bench/scenarios/index.js";
import { InputError } from "../../models/command-line/input-error.js";

const valid =
  "engine, todos, schemas, startup, decode, adapters, prefill, shared-prefix, multi-turn, replicas, mixed, images, hostile-images, page, rag, goodput, json, dialects, usage, embeddings, rerank, batch-embeddings, batch-beside-chats, batch, connections, stalls, soak-dialects, overload, chaos, rolling, switch";
const parse = (line: string) => parseCommandLine(line.split(" ").filter(Boolean), scenarios);

function optionsOf(line: string) {
  const command = parse(line);
  if (command.kind !== "scenarios") throw new Error(`${command.kind}: no scenarios`);
  return command.options;
}

describe("the benchmark command line", () => {
  it("accepts scenarios, with defaults for absent flags", () => {
    const command = parse("decode rag");
    expect(command).toMatchObject({
      kind: "scenarios",
      scenarios: [{ name: "decode" }, { name: "rag" }],
      options: {
        model: undefined,
        threads: undefined,
        slots: undefined,
        contextSize: undefined,
        clients: undefined,
        runs: 3,
        seed: undefined,
        peer: { kind: "llama-server", program: undefined },
        oursFlags: [],
        peerFlags: [],
        json: undefined,
        effort: "full",
      },
    });
  });

  it("accepts every flag, before and after the scenarios", () => {
    const line =
      "--runs 5 decode --threads=2 --slots 8 --context 512 --clients 1,8,32 --model 15m+qwen2 " +
      "--seed s --json out.json --quick --llama-server /bin/llama-server";
    expect(optionsOf(line)).toEqual({
      model: "15m+qwen2",
      threads: 2,
      slots: 8,
      contextSize: 512,
      clients: [1, 8, 32],
      runs: 5,
      seed: "s",
      peer: { kind: "llama-server", program: "/bin/llama-server" },
      oursFlags: [],
      peerFlags: [],
      json: "out.json",
      effort: "quick",
    });
  });

  it("splits the flags of the servers at spaces", () => {
    const args = ["decode", "--ours-flags=--gpu cuda", "--peer-flags", " -ngl  99 "];
    expect(parseCommandLine(args, scenarios)).toMatchObject({
      options: { oursFlags: ["--gpu", "cuda"], peerFlags: ["-ngl", "99"] },
    });
  });

  it("accepts another server for comparison, or none", () => {
    expect(optionsOf("decode --peer http://127.0.0.1:8000/v1/").peer).toEqual({
      kind: "url",
      baseUrl: "http://127.0.0.1:8000/v1",
    });
    expect(optionsOf("decode --no-peer").peer).toEqual({ kind: "none" });
  });

  it("accepts the engine benchmark with flags before or after it", () => {
    expect(parse("--runs 2 engine --sequences 1,8")).toEqual({
      kind: "engine",
      options: {
        model: "135m",
        threads: undefined,
        sequences: [1, 8],
        tokens: 128,
        runs: 2,
        layout: "split",
        batchedBench: undefined,
      },
    });
    expect(parse("engine --kv-cache-layout unified")).toMatchObject({
      options: { layout: "unified" },
    });
  });

  it("accepts the todos benchmark with flags, and defaults for absent flags", () => {
    expect(parse("todos")).toEqual({
      kind: "todos",
      options: {
        items: [1000, 10_000, 100_000],
        clients: [1, 32, 256],
        seconds: 5,
        runs: 3,
        json: undefined,
      },
    });
    const line = "--runs 1 todos --seconds 2 --items 1000 --clients 1,8 --json out.json";
    expect(parse(line)).toEqual({
      kind: "todos",
      options: { items: [1000], clients: [1, 8], seconds: 2, runs: 1, json: "out.json" },
    });
  });

  it.each([
    ["", `bench: expected one of ${valid}, got no scenario`],
    ["--runs 3", `bench: expected one of ${valid}, got no scenario`],
    ["decoding", `bench: expected one of ${valid}, got "decoding"`],
    ["engine decode", "bench: expected engine alone, got engine decode"],
    ["decode --runs 0", '--runs: expected a positive integer, got "0"'],
    ["decode --runs 1.5", '--runs: expected a positive integer, got "1.5"'],
    ["decode --clients 1,x", '--clients: expected a positive integer, got "x"'],
    ["decode --slots=", "--slots: expected N, got nothing"],
    ["decode --json", "--json: expected FILE, got nothing"],
    ["decode --json --quick", "--json: expected FILE, got the flag --quick"],
    ["decode --quick=yes", '--quick: expected no value, got "yes"'],
    ["decode --peer 8000", "--peer: expected a URL such as http://127.0.0.1:8000/v1, got 8000"],
    [
      "decode --no-peer --peer http://localhost:1/v1",
      "bench: expected one peer, got --peer and --no-peer",
    ],
    ["todos decode", "bench: expected todos alone, got todos decode"],
    ["todos --items 0", '--items: expected a positive integer, got "0"'],
    ["todos --seconds 0.5", '--seconds: expected a positive integer, got "0.5"'],
    ["todos --quick", /^--quick: expected one of --items, --clients, --seconds, --runs, --json$/],
    ["decode --items 10", /^--items: expected one of --model, /],
    ["decode --sequences 1", /^--sequences: expected one of --model, --threads, /],
    ["engine --kv-cache-layout auto", "--kv-cache-layout: expected split or unified, got auto"],
    ["engine --quick", /^--quick: expected one of --model, --threads, --sequences, /],
  ])("rejects %j", (line, reason) => {
    expect(() => parse(line)).toThrow(InputError);
    expect(() => parse(line)).toThrow(reason);
  });

  it("lists every scenario and flag in the help text", () => {
    expect(parse("decode --help")).toEqual({ kind: "help" });
    const help = helpText(scenarios);
    for (const { name } of scenarios) expect(help).toContain(`  ${name} `);
    expect(help).toContain("  --peer URL ");
    expect(help).toContain("  --no-peer ");
    expect(help).toContain("  --sequences N,N,… ");
    expect(help).toContain("  --items N,N,… ");
  });
});
