import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ManageArguments } from "../../src/cli/batch/manage-batches.js";
import type { BatchArguments } from "../../src/cli/batch/run-batch.js";
import type { RunArguments } from "../../src/cli/chat/run-command.js";
import { buildCli } from "../../src/cli/command-line.js";
import type { KeyArguments } from "../../src/cli/key-command.js";
import type { NewKeyArguments } from "../../src/cli/keys/create-first-key.js";
import type { ManageKeysArguments } from "../../src/cli/keys/manage-keys.js";
import type { LaunchArguments } from "../../src/cli/launch/launch-command.js";
import type { LoadArguments } from "../../src/cli/models/load-command.js";
import type { PsArguments } from "../../src/cli/models/ps-command.js";
import type { TopArguments } from "../../src/cli/top-command.js";
import type { UsageArguments } from "../../src/cli/usage-options.js";
import {
  environmentVariableOf,
  flagOf,
  settingNames,
  settings,
} from "../../src/config/settings.js";

/** Runs the command line; returns the config passed to `serve` and the output of `config`. */
async function run(...args: string[]) {
  const serve = vi.fn(async (_config: Readonly<Record<string, unknown>>) => {});
  const plan = vi.fn(async (_config: unknown, _options: unknown) => {});
  const devices = vi.fn(async (_config: unknown, _options: unknown) => {});
  const buildNative = vi.fn(async () => {});
  const print = vi.fn((_text: string) => {});
  const top = vi.fn(async (_options: TopArguments) => {});
  const key = vi.fn(async (_options: KeyArguments) => {});
  const warn = vi.fn((_line: string) => {});
  const models = {
    pull: vi.fn(async (_options: unknown) => {}),
    list: vi.fn(async (_options: unknown) => {}),
    show: vi.fn(async (_options: unknown) => {}),
    remove: vi.fn(async (_options: unknown) => {}),
    add: vi.fn(async (_options: unknown) => {}),
  };
  const withDaemon = {
    run: vi.fn(async (_options: RunArguments) => {}),
    launch: vi.fn(async (_options: LaunchArguments) => {}),
    batch: vi.fn(async (_options: BatchArguments) => {}),
    manageBatches: vi.fn(async (_options: ManageArguments) => {}),
    manageKeys: vi.fn(async (_options: ManageKeysArguments) => {}),
    createFirstKey: vi.fn(async (_options: NewKeyArguments) => {}),
    ps: vi.fn(async (_options: PsArguments) => {}),
    load: vi.fn(async (_options: LoadArguments) => {}),
    unload: vi.fn(async (_options: LoadArguments) => {}),
    worker: vi.fn(async (_options: unknown) => {}),
    usage: vi.fn(async (_options: UsageArguments) => {}),
  };
  const others = { ...models, ...withDaemon };
  const actions = { serve, plan, devices, top, key, buildNative, print, warn, ...others };
  await buildCli(actions).parseAsync(["node", "ggufd", ...args]);
  return {
    config: serve.mock.lastCall?.[0],
    printed: print.mock.lastCall?.[0],
    plan,
    devices,
    top,
    key,
    buildNative,
    ...others,
  };
}

beforeEach(() => {
  for (const name of settingNames) vi.stubEnv(environmentVariableOf(name), undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("the command line", () => {
  test.each(settingNames.filter((name) => settings[name].form === "switch"))(
    "has a flag that turns on %s",
    async (name) => {
      const { config } = await run("serve", flagOf(name));
      expect(config?.[name]).toBe(true);
    },
  );

  test.each([
    [["lst"], "did you mean ggufd list?"],
    [["srve", "--port", "1"], "did you mean ggufd serve?"],
    [["pul", "hf:x/y"], "did you mean ggufd pull?"],
    [["hlep"], "did you mean ggufd help?"],
    [["llama3.2"], "ggufd run llama3.2, or ggufd pull ollama:llama3.2"],
    [["llama3.2", "hi"], "ggufd run llama3.2, or ggufd pull ollama:llama3.2"],
    [["bartowski/Foo"], "ggufd run bartowski/Foo, or ggufd pull bartowski/Foo"],
    [["serve", "llama3.2"], "ggufd run llama3.2, or ggufd pull ollama:llama3.2"],
    [["?!"], '"?!": expected a command (ggufd --help) or the path of a GGUF file'],
  ])("rejects the arguments %j with a suggestion", async (args, suggestion) => {
    await expect(run(...args)).rejects.toThrow(suggestion);
  });

  test.each(["x.gguf", "./no/file", "src/cli", "hf:u/r", "u/r:Q8_0", "ollama:m"])(
    "serves the model %s",
    async (model) => {
      expect((await run(model)).config).toMatchObject({ model });
    },
  );

  test("plans for this machine or for given amounts of memory", async () => {
    const here = await run("plan", "--context-size", "8192");
    expect(here.plan).toHaveBeenCalledWith(expect.objectContaining({ contextSize: 8192 }), {
      output: "text",
      memoryGiB: undefined,
      gpuMemoryGiB: undefined,
    });
    const described = await run(
      ...["plan", "--json", "--assume-memory", "16", "--assume-gpu-memory", "7.5"],
    );
    expect(described.plan.mock.lastCall?.[1]).toEqual({
      output: "json",
      memoryGiB: 16,
      gpuMemoryGiB: 7.5,
    });
  });

  test("lists devices with the given GPU settings", async () => {
    const { devices } = await run("devices", "--json", "--gpu", "vulkan", "--gpu-layers", "3");
    const config = expect.objectContaining({ gpu: "vulkan", gpuLayers: 3 });
    expect(devices).toHaveBeenCalledExactlyOnceWith(config, { output: "json" });
    await expect(run("devices", "--gpu", "abacus")).rejects.toThrow("--gpu: expected one of auto");
  });

  test.each(["x", "-1", "0", "Infinity", ""])(
    "rejects a planned memory size of %j GiB",
    async (text) => {
      await expect(run("plan", "--assume-memory", text)).rejects.toThrow(
        `--assume-memory: expected a number of GiB above 0, got ${JSON.stringify(text)}`,
      );
    },
  );

  test("generates a key with the given attributes", async () => {
    const { key } = await run("key");
    expect(key).toHaveBeenCalledWith({ origin: "new", attributes: {} });
    const flags = ["--name", "alice", "--scopes", "inference,todos", "--requests-per-minute", "60"];
    const given = await run("key", "--hash", ...flags);
    expect(given.key).toHaveBeenCalledWith({
      origin: "given",
      attributes: { name: "alice", scopes: "inference,todos", "requests-per-minute": "60" },
    });
  });

  test("monitors the local daemon or the one at a URL", async () => {
    const here = await run("top");
    expect(here.top).toHaveBeenCalledWith({
      url: "http://127.0.0.1:8080",
      intervalSeconds: 2,
      mode: "live",
      apiKey: undefined,
    });
    const other = await run("top", "gpu:8080", "--once", "--interval", "0.5", "--api-key", "k");
    expect(other.top).toHaveBeenCalledWith({
      url: "gpu:8080",
      intervalSeconds: 0.5,
      mode: "once",
      apiKey: "k",
    });
  });

  test("monitors with the first key of the environment", async () => {
    vi.stubEnv("GGUFD_API_KEY", "first,second");
    const { top } = await run("top");
    expect(top.mock.lastCall?.[0].apiKey).toBe("first");
  });

  test.each(["x", "-1", "0", "0.05", "3601", "Infinity", ""])(
    "rejects a refresh interval of %j seconds",
    async (text) => {
      await expect(run("top", "--interval", text)).rejects.toThrow(
        `--interval: expected a number of seconds from 0.1 to 3600, got ${JSON.stringify(text)}`,
      );
    },
  );

  test.each([
    [[], { model: undefined, noModel: false }],
    [["--no-model"], { model: undefined, noModel: true }],
    [["--model", "a.gguf"], { model: "a.gguf", noModel: false }],
    [["serve", "--no-model", "--port", "0"], { model: undefined, noModel: true, port: 0 }],
  ])("%j starts the server with %j", async (args, expected) => {
    expect((await run(...args)).config).toMatchObject(expected);
  });

  test("pulls models with the configured folder and network settings", async () => {
    const plain = { modelsDir: undefined, network: "allowed", ifStored: "keep", output: "text" };
    const { pull } = await run("pull", "hf:u/r", "ollama:m");
    expect(pull).toHaveBeenCalledExactlyOnceWith({ names: ["hf:u/r", "ollama:m"], ...plain });
    vi.stubEnv("GGUFD_MODELS_DIR", "/m");
    const flags = ["--offline", "--refresh", "--json"];
    expect((await run("pull", "u/r", ...flags)).pull).toHaveBeenCalledExactlyOnceWith({
      names: ["u/r"],
      modelsDir: "/m",
      network: "never",
      ifStored: "check",
      output: "json",
    });
    expect((await run("pull", "u/r", "--models-dir", "/n")).pull.mock.lastCall?.[0]).toMatchObject({
      modelsDir: "/n",
    });
    await expect(run("pull", "u/r", "--models-dir", "")).rejects.toThrow(
      "--models-dir: expected a non-empty string",
    );
  });

  test("lists, shows, removes and adds models", async () => {
    const modelsDir = "/m";
    const at = ["--models-dir", modelsDir];
    for (const name of ["list", "ls"]) {
      const { list } = await run(name, "--json", ...at);
      expect(list).toHaveBeenCalledExactlyOnceWith({ modelsDir, output: "json" });
    }
    const { show } = await run("show", "m", ...at);
    expect(show).toHaveBeenCalledExactlyOnceWith({ name: "m", modelsDir, output: "text" });
    const { remove } = await run("rm", "a", "b", ...at);
    expect(remove).toHaveBeenCalledExactlyOnceWith({ names: ["a", "b"], modelsDir });
    const { add } = await run("add", "x.gguf");
    expect(add).toHaveBeenCalledExactlyOnceWith({ path: "x.gguf", modelsDir: undefined });
  });

  test("chats with a model of the configured daemon or of another one", async () => {
    const plain = await run("run");
    expect(plain.run.mock.lastCall?.[0]).toMatchObject({
      ...{ model: undefined, words: [], system: undefined, output: "text" },
      daemon: { selection: "configured", url: "http://127.0.0.1:8080", apiKey: undefined },
      config: { port: 8080 },
    });
    const flags = ["--url", "gpu:1", "--api-key", "k", "--json", "--system", "Be brief."];
    const limits = ["--max-tokens", "5", "--temperature", "0"];
    const { run: full } = await run("run", "m", "How", "are you?", ...flags, ...limits);
    expect(full.mock.lastCall?.[0]).toMatchObject({
      ...{ model: "m", words: ["How", "are you?"], system: "Be brief.", output: "json" },
      ...{ maxTokens: 5, temperature: 0, downloadConsent: "after-asking" },
      daemon: { selection: "named", url: "http://gpu:1", apiKey: "k" },
    });
  });

  test("downloads the model for a chat without a prompt, with --yes", async () => {
    for (const flag of ["-y", "--yes"]) {
      expect((await run("run", "m", flag)).run.mock.lastCall?.[0]).toMatchObject({
        downloadConsent: "without-asking",
      });
    }
  });

  test("connects to the configured daemon with its first key", async () => {
    vi.stubEnv("GGUFD_PORT", "9");
    vi.stubEnv("GGUFD_HOST", "0.0.0.0");
    vi.stubEnv("GGUFD_API_KEY", "first,second");
    const { ps } = await run("ps", "--json");
    const daemon = { selection: "configured", url: "http://127.0.0.1:9", apiKey: "first" };
    expect(ps).toHaveBeenCalledExactlyOnceWith({ daemon, output: "json" });
    for (const name of ["load", "unload"] as const) {
      const { [name]: action } = await run(name, "m");
      expect(action).toHaveBeenCalledExactlyOnceWith({ model: "m", daemon });
    }
  });

  test("passes arguments after -- to the launched program, including llama-server's flags", async () => {
    const { launch } = await run("launch", "claude", "--model", "m", "--", "-p", "--model", "x");
    expect(launch.mock.lastCall?.[0]).toMatchObject({
      ...{ client: "claude", model: "m", args: ["-p", "--model", "x"] },
    });
    expect((await run("launch")).launch.mock.lastCall?.[0]).toMatchObject({
      ...{ client: undefined, args: [] },
    });
  });

  test.each([
    [["--max-tokens", "0"], '--max-tokens: expected an integer of at least 1, got "0"'],
    [["--max-tokens", ""], '--max-tokens: expected an integer of at least 1, got ""'],
    [["--temperature", "hot"], '--temperature: expected a number of at least 0, got "hot"'],
    [["--url", "ftp://host"], 'expected the URL of a running ggufd, got "ftp://host"'],
  ])("rejects %j for a chat", async (flags, message) => {
    await expect(run("run", ...flags)).rejects.toThrow(message);
  });

  test("answers the requests of a file with the configured daemon or another one", async () => {
    const { batch } = await run("batch", "in.jsonl");
    expect(batch.mock.lastCall?.[0]).toMatchObject({
      ...{ file: "in.jsonl", output: undefined, model: undefined, earlierBatch: "continue" },
      daemon: { selection: "configured", url: "http://127.0.0.1:8080", apiKey: undefined },
      config: { port: 8080 },
    });
    const flags = ["-o", "out.jsonl", "--model", "m", "--new", "--url", "gpu:1", "--api-key", "k"];
    expect((await run("batch", "-", ...flags)).batch.mock.lastCall?.[0]).toMatchObject({
      ...{ file: "-", output: "out.jsonl", model: "m", earlierBatch: "ignore" },
      daemon: { selection: "named", url: "http://gpu:1", apiKey: "k" },
    });
  });

  test("lists, shows and cancels batches", async () => {
    const daemon = { selection: "named", url: "http://gpu:1", apiKey: "k" };
    const at = ["--url", "gpu:1", "--api-key", "k"];
    const { manageBatches, batch } = await run("batch", "list", "--json", ...at);
    expect((await run("batch", ...at, "list")).manageBatches.mock.lastCall?.[0]).toMatchObject({
      daemon,
    });
    const listed = { action: "list", daemon, output: "json" };
    expect(manageBatches).toHaveBeenCalledExactlyOnceWith(listed);
    expect(batch).not.toHaveBeenCalled();
    for (const action of ["show", "cancel"]) {
      const { manageBatches } = await run("batch", action, "batch_1", ...at);
      const expected = { action, id: "batch_1", daemon, output: "text" };
      expect(manageBatches).toHaveBeenCalledExactlyOnceWith(expected);
    }
  });

  test("prints usage of an interval, in groups", async () => {
    const { usage } = await run("usage", "--url", "gpu:1");
    const daemon = { selection: "named", url: "http://gpu:1", apiKey: undefined };
    expect(usage).toHaveBeenCalledExactlyOnceWith({
      daemon,
      since: { count: 7, unit: "1d" },
      by: ["key", "model"],
      per: undefined,
      output: "text",
    });
    const flags = ["--since", "12mo", "--by", "api,class,key", "--per", "month", "--csv"];
    const { usage: other } = await run("usage", ...flags);
    expect(other.mock.lastCall?.[0]).toMatchObject({
      since: { count: 12, unit: "1mo" },
      by: ["key", "api", "class"],
      per: "1mo",
      output: "csv",
    });
  });

  test.each([
    [
      ["--since", "7"],
      '--since: expected a number of hours, days or months such as 24h, 7d or 12mo, got "7"',
    ],
    [["--since", "0d"], 'got "0d"'],
    [
      ["--by", "key,user"],
      '--by: expected some of key, model, adapter, api, class, each once, got "key,user"',
    ],
    [["--by", "key,key"], 'got "key,key"'],
    [["--by", ""], 'got ""'],
  ])("rejects %j for usage", async (flags, message) => {
    await expect(run("usage", ...flags)).rejects.toThrow(message);
  });

  test.each([
    [["--output", ""], '--output: expected a non-empty string, got ""'],
    [["-o", ""], '--output: expected a non-empty string, got ""'],
    [["--model", ""], '--model: expected a non-empty string, got ""'],
    [["--url", "ftp://host"], 'expected the URL of a running ggufd, got "ftp://host"'],
    [["--config", "/nowhere.json"], "/nowhere.json"],
  ])("rejects %j for a batch", async (flags, message) => {
    await expect(run("batch", "in.jsonl", ...flags)).rejects.toThrow(message);
  });

  test.each([
    [["--new", "list"], '--new: expected without "list"'],
    [["show", "batch_1", "--model", "m"], '--model: expected without "show"'],
    [["-o", "x", "cancel", "batch_1"], '--output: expected without "cancel"'],
  ])("rejects flags of a run for batches: %j", async (args, message) => {
    await expect(run("batch", ...args)).rejects.toThrow(message);
  });

  test("manages the API keys of a daemon", async () => {
    const daemon = { selection: "named", url: "http://gpu:1", apiKey: "k" };
    const at = ["--url", "gpu:1", "--api-key", "k"];
    const settings = { daemon, output: "text" };
    const { manageKeys: listed } = await run("keys", "list", "--json", ...at);
    expect(listed).toHaveBeenCalledExactlyOnceWith({ action: "list", daemon, output: "json" });
    const flags = ["--scopes", "inference", "--concurrent", "4", "--expires", "2100-01-01"];
    const attributes = { scopes: "inference", concurrent: "4" };
    const expires = Date.UTC(2100, 0, 1) / 1000;
    for (const action of ["create", "update"]) {
      const { manageKeys, createFirstKey } = await run("keys", action, "alice", ...flags, ...at);
      const expected = { action, name: "alice", attributes, expires, ...settings };
      expect(manageKeys).toHaveBeenCalledExactlyOnceWith(expected);
      expect(createFirstKey).not.toHaveBeenCalled();
    }
    const { manageKeys: rotated } = await run("keys", "rotate", "alice", "--grace", "60", ...at);
    const rotation = { action: "rotate", name: "alice", graceSeconds: 60, ...settings };
    expect(rotated).toHaveBeenCalledExactlyOnceWith(rotation);
    for (const action of ["disable", "enable", "delete"]) {
      const { manageKeys } = await run("keys", action, "alice", ...at);
      expect(manageKeys).toHaveBeenCalledExactlyOnceWith({ action, name: "alice", ...settings });
    }
    const { manageKeys: logged } = await run("keys", "audit", ...at);
    expect(logged).toHaveBeenCalledExactlyOnceWith({ action: "audit", ...settings });
  });

  test("creates the first API key of a key store without a daemon", async () => {
    const flags = ["--key-store", "keys.jsonl", "--scopes", "admin"];
    const { createFirstKey, manageKeys } = await run("keys", "create", "admin", ...flags);
    expect(createFirstKey).toHaveBeenCalledExactlyOnceWith({
      ...{ path: "keys.jsonl", name: "admin", attributes: { scopes: "admin" }, expires: undefined },
    });
    expect(manageKeys).not.toHaveBeenCalled();
  });

  test.each([
    [["--expires", "tomorrow"], "--expires: expected a date or time such as 2027-01-31"],
    [["--expires", "2027-02-31T00"], "--expires: expected a date or time"],
    [["--url", "ftp://host"], 'expected the URL of a running ggufd, got "ftp://host"'],
  ])("rejects %j for an API key", async (flags, message) => {
    await expect(run("keys", "create", "alice", ...flags)).rejects.toThrow(message);
  });

  test("rejects an invalid grace period", async () => {
    const message = '--grace: expected an integer of at least 0, got "-1"';
    await expect(run("keys", "rotate", "alice", "--grace=-1")).rejects.toThrow(message);
  });

  test("compiles llama.cpp without starting the server", async () => {
    const { buildNative, config } = await run("build-native");
    expect(buildNative).toHaveBeenCalledOnce();
    expect(config).toBeUndefined();
  });

  test("gives flags precedence over the environment", async () => {
    vi.stubEnv("GGUFD_NO_MODEL", "no");
    vi.stubEnv("GGUFD_PORT", "1");
    const { config } = await run("--no-model");
    expect(config).toMatchObject({ noModel: true, port: 1 });
  });

  test("accepts repeated keys without printing them", async () => {
    const args = ["--api-key", "sk-one", "--api-key", "sk-two"];
    expect((await run(...args)).config).toMatchObject({ apiKey: ["sk-one", "sk-two"] });
    const { printed } = await run("config", ...args);
    expect(printed).toContain("2 (hidden)");
    expect(printed).not.toContain("sk-");
  });

  test("prints the effective configuration without starting the server", async () => {
    const { config, printed } = await run("config", "--no-model");
    expect(config).toBeUndefined();
    expect(printed).toMatch(/^noModel +true +--no-model$/m);
  });

  test("prints a section for each model below the settings", async () => {
    const { printed } = await run("config", "--alias", "mini", "--parallel", "3");
    expect(printed).toMatch(/^parallel +3 +--parallel$/m);
    expect(printed).toMatch(
      /^deprecate .*\n\ngeneration model mini\n {2}file .*\n {2}alias +mini +--alias$/m,
    );
    expect(printed).toMatch(/^ {2}slots +3 +--parallel$/m);
  });

  test("names the flag of an invalid value", async () => {
    await expect(run("--port", "http")).rejects.toThrow(/^--port: expected an integer/);
  });
});
