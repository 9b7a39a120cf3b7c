import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type {
  LibraryEvent,
  ModelFileFacts,
  StoredModelsHiddenBy,
} from "../../../src/core/model-library.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { ServedLibrary, type StoredSource } from "../../../src/models/library/served-library.js";
import { StoredModels } from "../../../src/models/library/stored-models.js";
import { ModelPool } from "../../../src/models/pool/model-pool.js";
import { ModelRegistry } from "../../../src/models/pool/model-registry.js";
import { Puller } from "../../../src/models/pull/puller.js";
import { ModelStore } from "../../../src/models/store/model-store.js";
import { eventually } from "../../support/eventually.js";
import { ggufOf } from "../../support/model-sources/file-answers.js";
import { HubStandIn } from "../../support/model-sources/hub.js";
import { emptyMachine, put, putInOllama } from "../../support/model-sources/other-programs.js";
import { StandIn, sendJson } from "../../support/model-sources/stand-in.js";
import { scriptedLoads } from "../pool/loadables.js";
import { impatient } from "../pull/impatient.js";

const FACTS: ModelFileFacts = {
  kind: "generation",
  architecture: "llama",
  parameters: 7,
  quantization: "Q8_0",
  trainContextSize: 128,
};

/** Machine with a server of the model `main`, and functions that query its models. */
async function serving({
  hiddenBy,
  network = "allowed",
  environment = {},
  invalid,
}: {
  readonly hiddenBy?: StoredModelsHiddenBy;
  readonly network?: "allowed" | "never";
  readonly environment?: NodeJS.ProcessEnv;
  /** Error of reading the configured models again. */
  readonly invalid?: StartupError;
} = {}) {
  const machine = await emptyMachine();
  const store = new ModelStore(machine);
  const loads = scriptedLoads("at-once");
  let nowMs = 0;
  const pool = new ModelPool({
    cores: 2,
    models: [loads.loadable("main")],
    budget: () => ({ cpuBytes: 2, gpuBytes: 0 }),
    maxWaiting: 10,
    waitingLimitMs: 0,
    onFailure: () => undefined,
  });
  const models = new StoredModels({
    pool,
    store,
    loadableOf: ({ name }) => loads.loadable(name),
    onChange: () => library.reportNewList(),
    now: () => nowMs,
  });
  const stored: StoredSource =
    hiddenBy === undefined ? { are: "served", models } : { are: "hidden", by: hiddenBy };
  const directory = new ModelRegistry({
    pool,
    startupModels: ["main"],
    otherNames: "rejected",
    ...(stored.are === "served" && { stored: stored.models }),
  });
  await directory.start(new AbortController().signal);
  const puller = new Puller({
    store,
    environment,
    policy: impatient,
    freeBytes: async () => 1e12,
  });
  onTestFinished(() => puller.close());
  const inspected: (readonly string[])[] = [];
  const warnings: object[] = [];
  const mainFile = await put(join(machine.root, "main.gguf"), "GGUF");
  const library: ServedLibrary = new ServedLibrary({
    ...{ pool, directory, store, puller, stored, network },
    configured: {
      fileOf: (alias) => (alias === "main" ? mainFile : undefined),
      reload: async () => {
        if (invalid !== undefined) throw invalid;
      },
    },
    async inspect(paths) {
      inspected.push(paths);
      return paths.map((path) => (path.endsWith("broken.gguf") ? undefined : FACTS));
    },
    measureBudget: async () => ({ cpuBytes: 2, gpuBytes: 1 }),
    warn: (details) => warnings.push(details),
  });
  const events: LibraryEvent[] = [];
  library.follow((event) => events.push(event));
  return {
    ...{ machine, store, pool, directory, library, loads, inspected, events, warnings },
    /** Advances the clock so that the folders are listed again. */
    later: () => {
      nowMs += 60_000;
    },
    textsOf: async (name: string) => library.readTexts(await library.findEntry(name)),
    names: async () => (await library.list()).map(({ alias }) => alias),
  };
}

/** Request that ends as soon as its model is loaded. */
const user = {
  signal: new AbortController().signal,
  onEnd: (listener: () => void) => queueMicrotask(listener),
};
const signal = user.signal;

/** A GGUF file in ggufd's own folder. */
const putOwn = (own: string, name: string, bytes = 100) =>
  put(join(own, `${name}.gguf`), ggufOf(bytes).toString("latin1"));

describe("stored models", () => {
  test("are listed after the configured models and found by name, without reading files", async () => {
    const { machine, library, inspected } = await serving();
    await putOwn(machine.own, "small");
    expect(await library.list()).toMatchObject([
      { alias: "main", from: "configured", state: { state: "ready" }, stored: { sizeBytes: 4 } },
      { alias: "small", from: "own", state: { state: "absent" }, stored: { sizeBytes: 148 } },
    ]);
    expect(await library.findEntry("small")).toMatchObject({ alias: "small" });
    expect(await library.findEntry("MAIN")).toMatchObject({ alias: "main" });
    await expect(library.findEntry("smal")).rejects.toThrow("the nearest name is `small`");
    expect(inspected).toEqual([]);
  });

  test("have headers that are read together, once per version of a file", async () => {
    const { machine, library, inspected, later } = await serving();
    const paths = [await putOwn(machine.own, "a"), await putOwn(machine.own, "b")];
    const models = (await library.list()).filter(({ from }) => from === "own");
    const read = { a: FACTS, b: FACTS };
    const both = await Promise.all([library.readHeaders(models), library.readHeaders(models)]);
    expect(both.map((headers) => Object.fromEntries(headers))).toEqual([read, read]);
    expect(inspected).toEqual([paths]);
    await writeFile(paths[0] ?? "", ggufOf(200));
    later();
    await library.readHeaders(await library.list());
    expect(inspected.slice(1)).toEqual([[join(machine.root, "main.gguf"), paths[0]]]);
  });

  test("have their memory and the time of their last request", async () => {
    const { library, directory } = await serving();
    const before = Date.now();
    const unused = await library.findEntry("main");
    expect(unused).toMatchObject({ lastUsedMs: undefined, memory: { cpuBytes: 1 } });
    await directory.resolve("generation", "main", user);
    const { lastUsedMs = 0 } = await library.findEntry("main");
    expect(Math.abs(lastUsedMs - before)).toBeLessThan(60_000);
  });

  test("are available to requests as soon as they exist, and unloaded when their files are removed", async () => {
    const { machine, directory, later, names, loads } = await serving();
    await expect(directory.resolve("generation", "small", user)).rejects.toMatchObject({
      code: "model_not_found",
    });
    const path = await putOwn(machine.own, "small");
    later();
    expect(await directory.resolve("generation", "small", user)).toMatchObject({ alias: "small" });
    await rm(path);
    later();
    expect(await names()).toEqual(["main"]);
    await eventually(() => expect(loads.log).toContain("close small"));
  });

  test("are reloaded after their files have been replaced", async () => {
    const { machine, library, later, loads, names } = await serving();
    const path = await putOwn(machine.own, "small");
    await library.load("small", signal);
    await writeFile(path, ggufOf(200));
    later();
    await names();
    await library.load("small", signal);
    expect(loads.log.filter((entry) => entry.endsWith(" small"))).toEqual([
      ...["load small", "loaded small", "close small", "load small", "loaded small"],
    ]);
  });

  test("never replace configured models of the same name", async () => {
    const { machine, library } = await serving();
    await putOwn(machine.own, "main");
    expect(await library.list()).toMatchObject([{ alias: "main", from: "configured" }]);
  });

  test("with unreadable headers are listed without metadata", async () => {
    const { machine, library } = await serving();
    await putOwn(machine.own, "broken");
    expect(await library.readHeaders([await library.findEntry("broken")])).toEqual(new Map());
  });

  test("are unloaded after the idle time set by a client", async () => {
    const { machine, library, loads } = await serving();
    await putOwn(machine.own, "small");
    await library.load("small", signal);
    expect((await library.findEntry("small")).expiresAtMs).toBeUndefined();
    library.keepAlive("small", 60_000);
    const { expiresAtMs = 0 } = await library.findEntry("small");
    expect(Math.abs(expiresAtMs - Date.now() - 60_000)).toBeLessThan(30_000);
    library.keepAlive("small", 0);
    await eventually(() => expect(loads.log).toContain("close small"));
  });

  test.for([
    ["setting", "--stored-models hide"],
    ["configured-models", "--model or --models-preset"],
    ["no-model", "--no-model"],
  ] as const)("are not accessible if they are hidden by %s", async ([hiddenBy, inEffect]) => {
    const { machine, library, names } = await serving({ hiddenBy });
    await putOwn(machine.own, "small");
    expect(await names()).toEqual(["main"]);
    const refusal = {
      code: "unsupported_operation",
      message: expect.stringMatching(`${inEffect}; (add|use) --stored-models serve`),
    };
    await expect(library.remove("main")).rejects.toMatchObject(refusal);
    await expect(library.copy("main", "other")).rejects.toMatchObject(refusal);
    expect(() => library.beginPull("hf:user/repo")).toThrow(expect.objectContaining(refusal));
  });
});

describe("removing a model", () => {
  test("unloads the model, removes its files and reports the removal", async () => {
    const { machine, library, names, events, loads, store } = await serving();
    await putOwn(machine.own, "small");
    await library.load("small", signal);
    await library.remove("small");
    expect(await names()).toEqual(["main"]);
    expect((await store.list()).models).toEqual([]);
    expect(loads.log).toContain("close small");
    expect(events).toContainEqual({ type: "removed", model: "small" });
  });

  test.for([
    ["a configured model", "main", { code: "invalid_request", param: "model" }],
    ["an unknown model", "nothing", { code: "model_not_found" }],
    ["a model of another program", "theirs:latest", { code: "invalid_request" }],
  ] as const)("is rejected for %s", async ([, name, refusal]) => {
    const { machine, library } = await serving();
    await putInOllama(machine.ollama[0] ?? "", "registry.ollama.ai/library/theirs/latest", [
      ["model", "GGUF weights"],
    ]);
    const error: unknown = await library.remove(name).catch((reason: unknown) => reason);
    expect(error).toMatchObject(refusal);
    expect(String(error)).not.toContain(machine.root);
  });
});

describe("removing a model during its download", () => {
  const files = { "tiny-Q8_0.gguf": ggufOf(50_000) };

  async function downloading() {
    const hub = await HubStandIn.start({
      files,
      faults: [{ kind: "stalls", afterBytes: 20_000 }],
    });
    const served = await serving({ environment: hub.environment });
    const { library, store, events } = served;
    const name = `hf:${hub.options.repo}`;
    library.beginPull(name);
    // An empty part would be removed with its download.
    await eventually(async () =>
      expect((await store.list()).partials).toMatchObject([{ sizeBytes: 20_000 }]),
    );
    return { ...served, hub, name, events };
  }

  test("ends the download, which the next pull resumes from the partial file", async () => {
    const { library, store, events, name, hub } = await downloading();
    await library.remove(name);
    expect(library.pulls).toEqual([]);
    expect(events.slice(-2)).toMatchObject([
      { type: "pull-failed", name },
      { type: "removed", model: name },
    ]);
    expect((await store.list()).partials).toHaveLength(1);
    await library.pull(name, { signal, onEvent: () => undefined });
    expect(hub.storage.requests.at(-1)?.headers.range).toMatch(/^bytes=\d{4,}-$/);
  });

  test("finds the download by the name of the future model", async () => {
    const { library, hub } = await downloading();
    await library.remove(`${hub.options.repo}:Q8_0`);
    expect(library.pulls).toEqual([]);
    await expect(library.remove(`${hub.options.repo}:Q8_0`)).rejects.toMatchObject({
      code: "model_not_found",
    });
  });

  test("also removes the stored model if a newer version is being downloaded", async () => {
    const file = "tiny-Q8_0.gguf";
    const versions: Record<string, Buffer> = { [file]: ggufOf(50_000) };
    const hub = await HubStandIn.start({ files: versions });
    const { library, store, names } = await serving({ environment: hub.environment });
    const name = `hf:${hub.options.repo}`;
    const { alias } = await library.pull(name, { signal, onEvent: () => undefined });
    versions[file] = ggufOf(60_000);
    hub.commit = "f".repeat(40);
    hub.options.faults.push({ kind: "stalls", afterBytes: 20_000 });
    library.beginPull(name);
    await eventually(async () => expect((await store.list()).partials).toHaveLength(1));
    await library.remove(alias);
    expect(library.pulls).toEqual([]);
    expect(await names()).toEqual(["main"]);
  });
});

describe("a model derived from a base model", () => {
  test("has the base model's files and the given texts", async () => {
    const { machine, library, store, textsOf } = await serving();
    await putOwn(machine.own, "small");
    await library.make("helper", {
      from: "small",
      texts: { system: "Be brief.", parameters: { temperature: 0.2 } },
    });
    expect(await textsOf("helper:latest")).toMatchObject({
      system: "Be brief.",
      parameters: { temperature: 0.2 },
    });
    await expect(library.remove("small")).rejects.toMatchObject({ code: "model_in_use" });
    await library.remove("helper");
    await library.remove("small");
    expect((await store.list()).models).toEqual([]);
  });

  test("survives the removal of its base model and removes the shared files with itself", async () => {
    const hub = await HubStandIn.start({ files: { "tiny-Q8_0.gguf": ggufOf(5000) } });
    const { library, store, names } = await serving({ environment: hub.environment });
    const events = { signal, onEvent: () => undefined };
    const { alias } = await library.pull(`hf:${hub.options.repo}`, events);
    await library.copy(alias, "mine");
    await library.remove(alias);
    expect(await names()).toEqual(["main", "mine"]);
    expect(await library.load("mine", signal)).toMatchObject({ alias: "mine" });
    await library.remove("mine");
    expect(await store.list()).toMatchObject({ models: [], problems: [] });
  });

  test("keeps unspecified settings, and replaces an existing model of the same name", async () => {
    const { machine, library, textsOf } = await serving();
    await putInOllama(machine.ollama[0] ?? "", "registry.ollama.ai/library/theirs/latest", [
      ["model", "GGUF weights"],
      ["system", "Theirs."],
      ["license", "MIT"],
    ]);
    await library.copy("theirs", "mine");
    expect(await textsOf("mine")).toMatchObject({
      system: "Theirs.",
      licenses: ["MIT"],
    });
    await library.make("mine", { from: "theirs", texts: { system: "Mine." } });
    expect(await textsOf("mine")).toMatchObject({ system: "Mine." });
    await library.remove("mine");
    expect((await library.list()).map(({ alias }) => alias)).toEqual(["main", "theirs:latest"]);
  });

  test.for([
    ["../escape"],
    ["/etc/passwd"],
    ["a/../../b"],
    ["model.gguf"],
    [""],
    ["main"],
    ["small"],
    ["x".repeat(200)],
  ])("is rejected with the name %j", async ([name = ""]) => {
    const { machine, library } = await serving();
    await putOwn(machine.own, "small");
    await expect(library.copy("small", name)).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("pulling a model", () => {
  const files = { "tiny-Q8_0.gguf": ggufOf(50_000) };

  test("adds a model that can be requested", async () => {
    const hub = await HubStandIn.start({ files });
    const { library, directory, events } = await serving({ environment: hub.environment });
    const told: string[] = [];
    const { alias } = await library.pull(`hf:${hub.options.repo}`, {
      signal,
      onEvent: ({ type }) => told.push(type),
    });
    expect(told).toContain("resolved");
    expect(await directory.resolve("generation", alias, user)).toMatchObject({ alias });
    expect(events).toContainEqual({ type: "listed-anew" });
  });

  test("continues in the background and reports its progress", async () => {
    const hub = await HubStandIn.start({ files });
    const { library, events } = await serving({ environment: hub.environment });
    const name = `hf:${hub.options.repo}`;
    library.beginPull(name);
    library.beginPull(name);
    await eventually(() => expect(events).toContainEqual({ type: "pulled", name }));
    expect(events.filter(({ type }) => type === "pulled")).toHaveLength(1);
    expect(events.some(({ type }) => type === "pulling")).toBe(true);
    await eventually(() => expect(library.pulls).toEqual([]));
  });

  test("reports a failure in the background with a reason for clients", async () => {
    const hub = await HubStandIn.start({ files });
    const { library, events, warnings } = await serving({ environment: hub.environment });
    library.beginPull("hf:nobody/nothing");
    await eventually(() =>
      expect(events).toContainEqual(expect.objectContaining({ type: "pull-failed" })),
    );
    expect(warnings).toHaveLength(1);
  });

  test.for([
    ["http://169.254.169.254/latest/model.gguf"],
    ["https://example.com/model.gguf"],
    ["ollama:example.com/user/model"],
    ["../../etc/passwd"],
    ["/models/tiny.gguf"],
    ["hf:user/../../x"],
    ["llama3"],
  ])("rejects %s", async ([name = ""]) => {
    const { library } = await serving();
    const refusal = { code: "invalid_request" };
    const pulled = library.pull(name, { signal, onEvent: () => undefined });
    await expect(pulled).rejects.toMatchObject(refusal);
    expect(() => library.beginPull(name)).toThrow(expect.objectContaining(refusal));
  });

  test("is rejected offline", async () => {
    const { library } = await serving({ network: "never" });
    const refusal = { code: "unsupported_operation" };
    const pulled = library.pull("hf:user/repo", { signal, onEvent: () => undefined });
    await expect(pulled).rejects.toMatchObject(refusal);
    expect(() => library.beginPull("hf:user/repo")).toThrow(expect.objectContaining(refusal));
  });
});

describe("a search of the hub", () => {
  const search = (library: ServedLibrary, abortSignal = signal) =>
    library.searchHub({ text: "small", limit: 2 }, abortSignal);
  const hubWith = (answer: Parameters<typeof StandIn.start>[0]) => StandIn.start(answer);

  test("returns what is found, and the memory of this machine", async () => {
    const hub = await hubWith((_request, response) => sendJson(response, []));
    const { library } = await serving({ environment: { HF_ENDPOINT: hub.origin } });
    const budget = { cpuBytes: 2, gpuBytes: 1 };
    expect(await search(library)).toEqual({ hub: hub.origin, repositories: [], budget });
    expect(library.canPull).toBe(true);
  });

  test("reports a hub that cannot be reached", async () => {
    const hub = await hubWith((_request, response) => response.destroy());
    const { library } = await serving({ environment: { HF_ENDPOINT: hub.origin } });
    await expect(search(library)).rejects.toMatchObject({
      code: "pull_failed",
      message: expect.stringMatching(/^The hub cannot be searched: 127\.0\.0\.1:/),
    });
    const aborted = AbortSignal.abort(new Error("the client has left"));
    await expect(search(library, aborted)).rejects.toThrow("the client has left");
  });

  test.each([{ network: "never" }, { hiddenBy: "no-model" }] as const)(
    "is refused where models cannot be pulled: %o",
    async (options) => {
      const { library } = await serving(options);
      expect(library.canPull).toBe(false);
      await expect(search(library)).rejects.toMatchObject({ code: "unsupported_operation" });
    },
  );
});

test("an invalid configuration is reported when it is read again", async () => {
  const { library } = await serving();
  await expect(library.reload()).resolves.toBeUndefined();
  const invalid = new StartupError("models.yaml [a]: contextSize: expected an integer, got x");
  const broken = await serving({ invalid });
  await expect(broken.library.reload()).rejects.toMatchObject({
    code: "invalid_request",
    param: "reload",
    message:
      "reload: the models cannot be read again, and stay as they are: models.yaml [a]: contextSize: expected an integer, got x.",
  });
});
