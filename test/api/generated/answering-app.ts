import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { type OpenBatches, openBatches } from "../../../src/batches/open-batches.js";
import type { TextAnswer, TextQuestion } from "../../../src/core/text-question.js";
import { batchOptions } from "../../support/batch-options.js";
import { ADMIN_LINE, openKeysAt } from "../../support/managed-keys.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { storedModel } from "../../support/scripted-library.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { buildTestApp } from "../../support/test-app.js";
import type { RequestKind } from "./requests.js";

const SCORE = { id: 1, bytes: [111, 107], logProbability: -0.5 };
const ok: Script = { parts: [{ text: "ok", scores: [{ ...SCORE, top: [SCORE] }] }] };

/** Engine that answers any request, as if it knew every token. */
class WillingEngine extends ScriptedEngine {
  constructor() {
    super(() => ok, {
      ...{ slots: 16, contextSize: 1_000_000, rawScript: () => ok },
      media: ["image", "audio"],
    });
  }

  override async ask(question: TextQuestion): Promise<TextAnswer> {
    return question.type === "detokenize" ? { type: "text", text: "ok" } : super.ask(question);
  }
}

/** Name of the existing key. */
const KEY = "alice";

const headers = { authorization: `Bearer ${ADMIN_LINE.split(" ")[0]}` };

/** Application with an item, a conversation, a key, and an answer to any request. */
export class AnsweringApp {
  readonly #app: FastifyInstance;
  readonly #conversation: string;
  readonly #stored: OpenBatches;

  static async open(): Promise<AnsweringApp> {
    const folder = await mkdtemp(join(tmpdir(), "ggufd-generated-"));
    const stored = await openBatches(join(folder, "batches"), batchOptions);
    const managedKeys = await openKeysAt(join(folder, "keys.jsonl"));
    const { app, library, adapters } = buildTestApp(new WillingEngine(), {
      batches: stored.batches,
      managedKeys,
      todos: storeInMemory(),
      acceptAnyModel: true,
    });
    library.pull = async (name) => storedModel(name);
    library.remove = async () => undefined;
    adapters.load = async () => undefined;
    adapters.unload = async () => undefined;
    const post = (url: string, payload: object) =>
      app.inject({ method: "POST", url, headers, payload });
    await post("/v1/todos", { title: "a" });
    await post("/v1/keys", { name: KEY });
    const created = await post("/v1/conversations", {});
    return new AnsweringApp(app, created.json<{ id: string }>().id, {
      ...stored,
      async close() {
        await stored.close();
        await managedKeys.store.close();
        await rm(folder, { recursive: true });
      },
    });
  }

  private constructor(app: FastifyInstance, conversation: string, stored: OpenBatches) {
    this.#stored = stored;
    this.#app = app;
    this.#conversation = conversation;
  }

  /** @param body as bytes or as a JSON text */
  send({ method, url }: RequestKind, body: string | Buffer): Promise<LightMyRequestResponse> {
    return this.#app.inject({
      method,
      url: url.replace("{conversation}", this.#conversation).replace("{key}", KEY),
      headers: { ...headers, "content-type": "application/json" },
      payload: body,
    });
  }

  async close(): Promise<void> {
    await this.#stored.close();
    await this.#app.close();
  }
}
