import type { FastifyInstance, HTTPMethods } from "fastify";
import type { Todos } from "../../../src/todos/todo.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { storeInMemory } from "../../support/store-in-memory.js";
import { buildTestApp } from "../../support/test-app.js";

/** Parts of a request in addition to its method and path. */
export interface Extras {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Response headers to show. */
  readonly show?: readonly string[];
}

export type Request = readonly [request: string, extras?: Extras];

const READ_ONLY_KEY = "read-only-key";
const FULL_KEY = "full-key";
export const readOnly = { authorization: `Bearer ${READ_ONLY_KEY}` };
export const stranger = { authorization: "Bearer another-key" };

/** Cursors and times, which are elided in the table. */
const UNTELLING = /(?<="(next_cursor|created_at|updated_at)":")[^"]+/g;

/** A new server with an empty store and a fixed clock. */
export class Server {
  readonly #app: FastifyInstance;

  /** @param refusal the error of every change */
  constructor(refusal?: Error) {
    const store = storeInMemory({ clock: () => Date.UTC(2026, 10, 21) });
    const engine = new ScriptedEngine(() => ({ parts: ["Hello."] }));
    this.#app = buildTestApp(engine, {
      todos: refusal === undefined ? store : refusing(store, refusal),
      apiKeys: [FULL_KEY],
      readOnlyApiKeys: [READ_ONLY_KEY],
    }).app;
  }

  /** Sends requests in sequence and returns the responses, as a client sees them. */
  async talk(...requests: readonly Request[]): Promise<string[]> {
    const answers: string[] = [];
    for (const [request, extras] of requests) {
      const { status, shown, body } = await this.#ask(request, extras);
      const told = body.replaceAll(UNTELLING, "…");
      answers.push([`${request.split(" ", 1)} ${status}`, ...shown, told].join(" ").trim());
    }
    return answers;
  }

  /** Like `talk`, with only the message of a completion instead of its body. */
  async chat(body: object): Promise<string[]> {
    const answer = await this.#ask("POST /v1/chat/completions", { body });
    const { object, choices } = JSON.parse(answer.body);
    return [`POST ${answer.status} ${object}, message ${JSON.stringify(choices[0].message)}`];
  }

  /** The page after a page of one item, requested after that item was deleted. */
  async pages(): Promise<string[]> {
    for (const title of ["a", "b"]) await this.#ask("POST /v1/todos", { body: { title } });
    const first = JSON.parse((await this.#ask("GET /v1/todos?limit=1")).body);
    await this.#ask("DELETE /v1/todos/1");
    const cursor: string = first.pagination.next_cursor;
    return this.talk(
      [`GET /v1/todos?limit=1&cursor=${cursor}`],
      [`GET /v1/todos?sort=title&cursor=${cursor}`],
    );
  }

  /** The names of the top-level fields of a response. */
  async fieldsOf(request: string): Promise<string[]> {
    const { status, body } = await this.#ask(request);
    return [`${request.split(" ", 1)} ${status} with ${Object.keys(JSON.parse(body)).join(", ")}`];
  }

  async #ask(request: string, { body, headers, show = [] }: Extras = {}) {
    const [method, url = "/"] = request.split(" ");
    const answer = await this.#app.inject({
      method: method as HTTPMethods,
      url,
      headers: { authorization: `Bearer ${FULL_KEY}`, "x-request-id": "req-1", ...headers },
      ...(body !== undefined && { payload: body as object }),
    });
    return {
      status: answer.statusCode,
      shown: show.map((name) => `${name}: ${answer.headers[name] ?? "none"}`),
      body: answer.body,
    };
  }
}

function refusing(todos: Todos, refusal: Error): Todos {
  const refuse = () => Promise.reject(refusal);
  return {
    list: () => todos.list(),
    readPage: (query) => todos.readPage(query),
    find: (id) => todos.find(id),
    create: refuse,
    change: refuse,
    remove: refuse,
  };
}
