import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBatches } from "../../src/batches/open-batches.js";
import { ConversationStore } from "../../src/conversations/conversation-store.js";
import { MEMORY_LIMITS } from "../../src/conversations/open-conversations.js";
import { type ErrorCode, GgufdError } from "../../src/core/errors.js";
import type { RawPrompt } from "../../src/core/generation-request.js";
import { MediaMemory } from "../../src/core/media-memory.js";
import type { Todos } from "../../src/todos/todo.js";
import { batchOptions } from "../support/batch-options.js";
import { openKeysAt } from "../support/managed-keys.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { type ScriptedLibrary, storedModel } from "../support/scripted-library.js";
import {
  embeddingModel,
  logitOfPair,
  rerankingModel,
  ScriptedPooling,
  vectorOfText,
} from "../support/scripted-pooling.js";
import { someAdapter } from "../support/some-adapter.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { buildTestApp } from "../support/test-app.js";
import { textIn } from "../support/text-in.js";
import { storeUsageInMemory } from "../support/usage-in-memory.js";

/** Quota of a key's conversations, small enough to be reached. */
export const QUOTA_BYTES = 500_000;

/** Share of the files of each key, small enough to be reached. */
export const BATCHES_BYTES = 1_000_000;

/** A key with full access, and a read-only key. */
export const FULL_KEY = "full-key";
export const READ_ONLY_KEY = "read-only-key";
/** A key that may send one request a minute, and one without any scope that a route of models or to-dos needs. */
export const LIMITED_KEY = "limited-key";
/** A key that may send one request to models a day. */
export const SPENT_KEY = "spent-key";
/** The token of a user whose provider is down. */
export const UNVERIFIABLE_TOKEN = "eyJ.AAAA.AAAA";
export const METRICS_KEY = "metrics-key";
/** Without the scope that metrics need. */
export const TODOS_KEY = "todos-key";

/** An error that a part of the server throws; undefined when it works. */
export type Fault = Error | undefined;

export interface ContractServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Makes all methods of the store fail from now on. */
  breakTodos(fault: Fault): void;
  /** Makes all changes of conversations fail from now on. */
  breakConversations(fault: Fault): void;
  /** Makes all uses of files and batches fail from now on. */
  breakBatches(fault: Fault): void;
  /** Makes all uses of stored usage fail from now on. */
  breakUsage(fault: Fault): void;
  /** Makes all uses of the key store fail from now on. */
  breakKeys(fault: Fault): void;
  /** Stored models, in addition to the served ones. */
  readonly library: ScriptedLibrary;
  /** Makes the resolution of models, and all that the library does, fail from now on. */
  breakModels(fault: Fault): void;
  /** Uses all the memory for large bodies. @returns gives it back */
  takeMemory(): Promise<() => void>;
  /** Drains the server, as at shutdown. */
  drain(): void;
  close(): Promise<void>;
}

/** How commands fail that name one of these states. */
const REFUSED_STATES: Readonly<Record<string, ErrorCode>> = {
  missing: "not_found",
  anywhere: "unsupported_operation",
  large: "server_overloaded",
  full: "storage_unavailable",
};
const RETRY = { retryAfterSeconds: 1 };

/** How changes of adapters fail that have one of these names. */
const REFUSED_ADAPTERS: Readonly<Record<string, ErrorCode>> = {
  off: "unsupported_operation",
  full: "storage_unavailable",
};

const adapters = [someAdapter("sql"), someAdapter("off")];

/** The whole application with keys, over a scripted engine and an in-memory store. */
export async function startContractServer(): Promise<ContractServer> {
  const folder = await mkdtemp(join(tmpdir(), "ggufd-contract-"));
  await writeFile(join(folder, "new.gguf"), "");
  await writeFile(join(folder, "index.html"), "<!doctype html>");
  await writeFile(join(folder, "index.js"), "export {};");
  const faults: Record<"todos" | "conversations" | "models" | "batches" | "usage" | "keys", Fault> =
    {
      ...{ todos: undefined, conversations: undefined, models: undefined, batches: undefined },
      ...{ usage: undefined, keys: undefined },
    };
  const usage = storeUsageInMemory();
  const readUsage = usage.read.bind(usage);
  usage.read = async (query) => orThrow(faults.usage) ?? readUsage(query);
  const managedKeys = await openKeysAt(join(folder, "keys.jsonl"), [
    FULL_KEY,
    `${READ_ONLY_KEY} access=read-only`,
    `${LIMITED_KEY} requests-per-minute=1`,
    `${SPENT_KEY} requests-per-day=1`,
    `${METRICS_KEY} scopes=admin`,
    `${TODOS_KEY} scopes=todos`,
  ]);
  const stored = await openBatches(join(folder, "batches"), {
    ...batchOptions,
    maxBytes: BATCHES_BYTES,
  });
  const engine = new ScriptedEngine(
    ({ prompt }) => scriptOf(textIn(prompt.messages.at(-1)?.content)),
    {
      contextSize: 1000,
      rawScript: ({ prompt }) => scriptOf(textOf(prompt)),
      onCommand: (command) => {
        const code = command.action === "erase" ? undefined : REFUSED_STATES[command.name];
        if (code !== undefined) throw new GgufdError(code, "It cannot be done.", RETRY);
      },
      adapters,
      media: ["audio"],
      onAdapt: (change) => {
        const code = REFUSED_ADAPTERS[change.type === "load" ? change.adapter.name : change.name];
        if (code !== undefined) throw new GgufdError(code, "It cannot be done.", RETRY);
      },
    },
  );
  // Requests that find no memory do not wait.
  const mediaMemory = new MediaMemory(64 * 2 ** 20, 1);
  const { app, models, library } = buildTestApp(engine, {
    mediaMemory,
    todos: failingAs(storeInMemory(), () => faults.todos),
    conversations: new ConversationStore({
      limits: { ...MEMORY_LIMITS, bytes: QUOTA_BYTES },
      storage: {
        write: async () => orThrow(faults.conversations),
        forget: () => undefined,
        compact: async () => undefined,
        close: async () => undefined,
      },
    }),
    batches: failing(stored.batches, () => faults.batches),
    usage,
    managedKeys: {
      ...managedKeys,
      store: failing(managedKeys.store, () => faults.keys),
    },
    identities: {
      rules: ["* scopes=inference"],
      verify: async () => {
        throw new GgufdError("identity_unavailable", "The provider is down.", RETRY);
      },
    },
    allowRuntimeLora: folder,
    page: folder,
    otherModels: [
      embeddingModel(new ScriptedPooling({ vectorOf: vectorOfText })),
      rerankingModel(new ScriptedPooling({ vectorOf: logitOfPair })),
    ],
  });
  const resolve = models.resolve.bind(models);
  models.resolve = async (kind, name, user) => {
    if (faults.models !== undefined) throw faults.models;
    return resolve(kind, name, user);
  };
  const find = models.find.bind(models);
  models.find = async (name, user) => {
    if (faults.models !== undefined) throw faults.models;
    return find(name, user);
  };
  const entry = models.findEntry.bind(models);
  models.findEntry = (name) => {
    if (faults.models !== undefined) throw faults.models;
    return entry(name);
  };
  const list = models.list.bind(models);
  models.list = () => {
    if (faults.models !== undefined) throw faults.models;
    return list();
  };
  library.pull = async (name) => orThrow(faults.models) ?? storedModel(name);
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    breakTodos: (fault) => {
      faults.todos = fault;
    },
    breakConversations: (fault) => {
      faults.conversations = fault;
    },
    breakBatches: (fault) => {
      faults.batches = fault;
    },
    breakUsage: (fault) => {
      faults.usage = fault;
    },
    breakKeys: (fault) => {
      faults.keys = fault;
    },
    library,
    breakModels: (fault) => {
      faults.models = fault;
      library.fault = fault;
    },
    async takeMemory() {
      const all = await mediaMemory.reserve(mediaMemory.limitBytes, new AbortController().signal);
      return all.release;
    },
    drain() {
      models.drain();
      app.drain();
    },
    async close() {
      await stored.close();
      await managedKeys.store.close();
      await app.close();
      await engine.close();
      await rm(folder, { recursive: true });
    },
  };
}

function textOf(prompt: RawPrompt): string {
  switch (prompt.type) {
    case "text":
      return prompt.text;
    case "infill":
      return prompt.prefix;
    default:
      return prompt.type;
  }
}

/** The script of the engine, selected by the last text of the prompt. */
function scriptOf(text: string | undefined): Script {
  switch (text) {
    case "think":
      return { parts: [{ reasoning: "Hm." }, "So."] };
    case "ponder":
      return { parts: [{ reasoning: "Hm." }], ending: "never" };
    case "call":
      return {
        parts: [{ call: { id: "call_1", name: "now", arguments: "{}" } }],
        ending: "tool-calls",
      };
    case "wait":
      return { parts: ["One"], ending: "never" };
    case "break off":
      return { parts: ["So"], ending: new GgufdError("internal_error", "It broke.") };
    default:
      return { parts: ["One", " two"], ending: "length" };
  }
}

/** All uses of a service fail while there is a fault. */
function failing<Service extends object>(service: Service, faultNow: () => Fault): Service {
  return new Proxy(service, {
    get(target, name) {
      const value: unknown = orThrow(faultNow()) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Store whose methods throw (or reject, if asynchronous) while there is a fault. */
function failingAs(todos: Todos, faultNow: () => Fault): Todos {
  return {
    list: () => orThrow(faultNow()) ?? todos.list(),
    readPage: (query) => orThrow(faultNow()) ?? todos.readPage(query),
    find: (id) => orThrow(faultNow()) ?? todos.find(id),
    create: async (...request) => orThrow(faultNow()) ?? todos.create(...request),
    change: async (...request) => orThrow(faultNow()) ?? todos.change(...request),
    remove: async (...request) => orThrow(faultNow()) ?? todos.remove(...request),
  };
}

function orThrow(fault: Fault): undefined {
  if (fault !== undefined) throw fault;
  return undefined;
}
