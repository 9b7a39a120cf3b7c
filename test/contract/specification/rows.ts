import { GgufdError } from "../../../src/core/errors.js";
import { readOnly, Server, stranger } from "./server.js";

/** A row of the specification, and the requests that demonstrate it. */
export interface Row {
  readonly section: string;
  readonly says: string;
  /** Sends the requests and returns the responses. */
  readonly see: (server: Server) => Promise<readonly string[]>;
}

const milk = { title: "milk" };
const chat = {
  model: "scripted",
  messages: [{ role: "user", content: "Hi" }],
  max_tokens: 8,
};

/** The sections that describe resources, endpoints, errors, limits and versions, row by row. */
export const rows: readonly Row[] = [
  {
    section: "2, todo: id",
    says: "integer, auto-incrementing, unique",
    see: (server) =>
      server.talk(
        ["POST /api/todos", { body: milk }],
        ["DELETE /api/todos/1"],
        ["POST /api/todos", { body: milk }],
      ),
  },
  {
    section: "2, todo: title",
    says: "required, non-empty string",
    see: (server) => server.talk(["POST /api/todos", { body: { title: "" } }]),
  },
  {
    section: "2, todo: completed",
    says: "boolean, false by default",
    see: (server) =>
      server.talk(
        ["POST /api/todos", { body: milk }],
        ["POST /api/todos", { body: { ...milk, completed: 1 } }],
      ),
  },
  {
    section: "2, chat: model, messages, role, content, max_tokens",
    says: "a request with these is answered; the answer's fields: not shown",
    see: (server) => server.chat(chat),
  },
  {
    section: "2, list envelope",
    says: "data, pagination.next_cursor, pagination.has_more",
    see: (server) =>
      server.talk(
        ["POST /v1/todos", { body: milk }],
        ["POST /v1/todos", { body: milk }],
        ["GET /v1/todos?limit=1"],
        ["GET /v1/todos?limit=2"],
      ),
  },
  {
    section: "2, list: cursor",
    says: "opaque; the next page",
    see: (server) => server.pages(),
  },
  {
    section: "2, list: sort",
    says: "explicit parameter for ordering",
    see: (server) =>
      server.talk(
        ["POST /v1/todos", { body: { title: "a" } }],
        ["POST /v1/todos", { body: { title: "b" } }],
        ["GET /v1/todos?sort=-title&limit=1"],
        ["GET /v1/todos?sort=colour"],
      ),
  },
  {
    section: "2, list: filters",
    says: "query parameters, never path segments",
    see: (server) =>
      server.talk(
        ["POST /v1/todos", { body: { title: "a", completed: true } }],
        ["POST /v1/todos", { body: { title: "b" } }],
        ["GET /v1/todos?completed=true"],
        ["GET /v1/todos?title=B"],
      ),
  },
  {
    section: "2, error envelope",
    says: "code in upper snake case, message, details[{field, reason}], request_id",
    see: (server) => server.talk(["POST /v1/todos", { body: { title: 7 } }]),
  },
  {
    section: "2, error envelope, inference",
    says: "the same fields; OpenAI's code, type and param",
    see: (server) => server.talk(["POST /v1/chat/completions", { body: { messages: [] } }]),
  },
  {
    section: "4, GET /health",
    says: "200, object with status (string)",
    see: (server) => server.talk(["GET /health"]),
  },
  {
    section: "4, GET /api/todos",
    says: "200, array of items (id, title, completed)",
    see: (server) => server.talk(["POST /api/todos", { body: milk }], ["GET /api/todos"]),
  },
  {
    section: "4, POST /api/todos",
    says: "201, the created item",
    see: (server) => server.talk(["POST /api/todos", { body: milk }]),
  },
  {
    section: "4, PATCH /api/todos/{id}",
    says: "200, object with updated (true)",
    see: (server) =>
      server.talk(
        ["POST /api/todos", { body: milk }],
        ["PATCH /api/todos/1", { body: { completed: true } }],
        ["GET /api/todos"],
      ),
  },
  {
    section: "4, DELETE /api/todos/{id}",
    says: "200, object with deleted (true)",
    see: (server) =>
      server.talk(["POST /api/todos", { body: milk }], ["DELETE /api/todos/1"], ["GET /api/todos"]),
  },
  {
    section: "4, rule 1",
    says: "POST without a title: 400 {error: message}, nothing stored",
    see: (server) => server.talk(["POST /api/todos", { body: {} }], ["GET /api/todos"]),
  },
  {
    section: "4, rule 2",
    says: "completed is true when the value is truthy, else false",
    see: (server) =>
      server.talk(
        ["POST /api/todos", { body: milk }],
        ["PATCH /api/todos/1", { body: { completed: "yes" } }],
        ["PATCH /api/todos/1", { body: { completed: 0 } }],
        ["GET /api/todos"],
      ),
  },
  {
    section: "4, rule 3",
    says: "the list has no pagination, filtering or sorting parameters",
    see: (server) =>
      server.talk(
        ["POST /api/todos", { body: milk }],
        ["GET /api/todos?limit=0&completed=true&sort=-id"],
      ),
  },
  {
    section: "4, rule 4",
    says: "a simpler variant answers changes with {success: true}, POST with 201",
    see: (server) =>
      server.talk(
        ["POST /todos", { body: milk, show: ["deprecation", "sunset", "link"] }],
        ["PATCH /todos/1", { body: { completed: true } }],
        ["DELETE /todos/1"],
        ["POST /api/todos", { body: milk, headers: { prefer: "return=minimal" } }],
      ),
  },
  {
    section: "4, rule 5",
    says: "PATCH and DELETE of an unknown id: not shown",
    see: (server) =>
      server.talk(["PATCH /api/todos/7", { body: { completed: true } }], ["DELETE /api/todos/7"]),
  },
  {
    section: "4, POST /v1/chat/completions",
    says: "answer and statuses: not shown",
    see: (server) => server.chat({ messages: chat.messages }),
  },
  {
    section: "4, convention: list",
    says: "GET /v1/{resources}: 200 with the list envelope",
    see: (server) => server.talk(["GET /v1/todos"]),
  },
  {
    section: "4, convention: detail",
    says: "GET /v1/{resources}/{id}: 200",
    see: (server) => server.talk(["POST /v1/todos", { body: milk }], ["GET /v1/todos/1"]),
  },
  {
    section: "4, convention: create",
    says: "POST /v1/{resources}: 201 with a Location header",
    see: (server) => server.talk(["POST /v1/todos", { body: milk, show: ["location"] }]),
  },
  {
    section: "4, convention: replace",
    says: "PUT /v1/{resources}/{id}: 200",
    see: (server) =>
      server.talk(
        ["POST /v1/todos", { body: milk }],
        ["PUT /v1/todos/1", { body: { title: "bread", completed: true } }],
      ),
  },
  {
    section: "4, convention: partial update",
    says: "PATCH /v1/{resources}/{id}: 200",
    see: (server) =>
      server.talk(
        ["POST /v1/todos", { body: milk }],
        ["PATCH /v1/todos/1", { body: { completed: true } }],
      ),
  },
  {
    section: "4, convention: delete",
    says: "DELETE /v1/{resources}/{id}: 204",
    see: (server) =>
      server.talk(["POST /v1/todos", { body: milk }], ["DELETE /v1/todos/1"], ["GET /v1/todos"]),
  },
  {
    section: "7, convention: 400",
    says: "malformed request",
    see: (server) =>
      server.talk(
        ["POST /v1/todos", { headers: { "content-type": "application/json" } }],
        ["GET /v1/todos?cursor=made-up"],
      ),
  },
  {
    section: "7, convention: 401",
    says: "not authenticated",
    see: (server) => server.talk(["GET /v1/todos", { headers: stranger }]),
  },
  {
    section: "7, convention: 403",
    says: "not permitted",
    see: (server) => server.talk(["POST /v1/todos", { body: milk, headers: readOnly }]),
  },
  {
    section: "7, convention: 404",
    says: "resource not found",
    see: (server) => server.talk(["GET /v1/todos/7"]),
  },
  {
    section: "7, convention: 409",
    says: "conflict",
    see: (server) =>
      server.talk(
        ["POST /v1/todos", { body: milk }],
        ["PATCH /v1/todos/1", { body: { completed: true }, headers: { "if-match": '"stale"' } }],
        ["POST /v1/todos", { body: milk, headers: { "idempotency-key": "k" } }],
        ["POST /v1/todos", { body: { title: "tea" }, headers: { "idempotency-key": "k" } }],
      ),
  },
  {
    section: "7, convention: 422",
    says: "validation failure",
    see: (server) =>
      server.talk(["POST /v1/todos", { body: { completed: "yes" } }], ["GET /v1/todos/one"]),
  },
  {
    section: "7, convention: 429",
    says: "too many requests",
    see: () =>
      new Server(
        new GgufdError("too_many_changes", "Too many changes wait.", { retryAfterSeconds: 1 }),
      ).talk(["POST /v1/todos", { body: milk, show: ["retry-after"] }]),
  },
  {
    section: "7, convention: 500",
    says: "server error",
    see: () => new Server(new Error("a fault")).talk(["POST /v1/todos", { body: milk }]),
  },
  {
    section: "8, limit",
    says: "at most 100",
    see: (server) => server.talk(["GET /v1/todos?limit=101"], ["GET /v1/models?limit=101"]),
  },
  {
    section: "8, rate limits, bounds of max_tokens and messages, longest title",
    says: "not shown",
    see: (server) => server.talk(["POST /v1/todos", { body: { title: "x".repeat(10_001) } }]),
  },
  {
    section: "9.1",
    says: "inference paths carry /v1",
    see: (server) => server.fieldsOf("GET /v1/models"),
  },
  {
    section: "9.2",
    says: "task list paths carry no version",
    see: (server) => server.talk(["GET /api/todos"]),
  },
  {
    section: "9.3",
    says: "a version is selected by a prefix or a header",
    see: (server) =>
      server.talk(
        ["GET /todos", { headers: { "accept-version": "v1" } }],
        ["GET /todos", { headers: { "api-version": "v9" } }],
        ["GET /v9/todos"],
      ),
  },
  {
    section: "9.4",
    says: "changes inside a version are additive only",
    see: async () => [
      "nothing: a test compares with docs/openapi.json (test/contract/breaking-changes.ts)",
    ],
  },
  {
    section: "9.5",
    says: "deprecation is signalled by response headers",
    see: (server) => server.talk(["GET /todos", { show: ["deprecation", "sunset", "link"] }]),
  },
  {
    section: "9.6",
    says: "described in an OpenAPI 3.1 document",
    see: (server) => server.fieldsOf("GET /openapi.json"),
  },
];
