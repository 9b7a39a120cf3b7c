import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import { type OpenBatches, openBatches } from "../../../src/batches/open-batches.js";
import type { TextAnswer, TextQuestion } from "../../../src/core/text-question.js";
import { batchOptions } from "../../support/batch-options.js";
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

/** Application with an item, a conversation, and an answer to any request. */
export class AnsweringApp {
  readonly #app: FastifyInstance;
  readonly #conversation: string;
  readonly #stored: OpenBatches;

  static async open(): Promise<AnsweringApp> {
    const folder = await mkdtemp(join(tmpdir(), "ggufd-generated-"));
    const stored = await openBatches(folder, batchOptions);
    const { app, library, adapters } = buildTestApp(new WillingEngine(), {
      batches: stored.batches,
      todos: storeInMemory(),
      acceptAnyModel: true,
    });
    library.pull = async (name) => storedModel(name);
    library.remove = async () => undefined;
    adapters.load = async () => undefined;
    adapters.unload = async () => undefined;
    await app.inject({ method: "POST", url: "/v1/todos", payload: { title: "a" } });
    const created = await app.inject({ method: "POST", url: "/v1/conversations", payload: {} });
    return new AnsweringApp(app, created.json<{ id: string }>().id, {
      ...stored,
      async close() {
        await stored.close();
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
      url: url.replace("{conversation}", this.#conversation),
      headers: { "content-type": "application/json" },
      payload: body,
    });
  }

  async close(): Promise<void> {
    await this.#stored.close();
    await this.#app.close();
  }
}
