import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import createClient from "openapi-fetch";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { computeKeyHash } from "../../src/config/keys/key-line.js";
import { GgufdError } from "../../src/core/errors.js";
import { OidcProvider } from "../../src/identity/oidc-provider.js";
import { eventually } from "../support/eventually.js";
import { type FieldValue, formOf } from "../support/form-payload.js";
import { CLIENT_ID, ISSUER, StandInProvider } from "../support/identity-provider.js";
import { ScriptedToolServer, toolServers } from "../support/mcp/scripted-tool-server.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storedModel } from "../support/scripted-library.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { buildTestApp, type TestAppOptions } from "../support/test-app.js";
import type { paths } from "./api-types.js";
import {
  BATCHES_BYTES,
  type ContractServer,
  FULL_KEY,
  LIMITED_KEY,
  METRICS_KEY,
  QUOTA_BYTES,
  READ_ONLY_KEY,
  SPENT_KEY,
  startContractServer,
  TODOS_KEY,
  UNVERIFIABLE_TOKEN,
} from "./contract-server.js";
import { DescribedAnswers } from "./described-answers.js";
import { servedDocument } from "./description-files.js";
import { sendHead } from "./raw-request.js";

const answers = new DescribedAnswers(servedDocument());
let server: ContractServer;

beforeAll(async () => {
  server = await startContractServer();
});

afterEach(() => {
  server.breakTodos(undefined);
  server.breakConversations(undefined);
  server.breakBatches(undefined);
  server.breakUsage(undefined);
  server.breakKeys(undefined);
  server.breakModels(undefined);
});

afterAll(() => server.close());

/** `fetch` that validates every response against its description. */
async function describedFetch(request: Request): Promise<Response> {
  const response = await fetch(request);
  await answers.check(request.method, new URL(request.url).pathname, response.clone());
  return response;
}

/** The typed client, with a key. */
function clientWith(key: string) {
  return createClient<paths>({
    baseUrl: server.url,
    fetch: describedFetch,
    headers: { authorization: `Bearer ${key}` },
  });
}

describe("inference with the typed client", () => {
  const messages = (content: string) => ({ messages: [{ role: "user" as const, content }] });

  it.each(["say", "think", "call"])("returns a chat completion: %s", async (content) => {
    const { data } = await clientWith(FULL_KEY).POST("/v1/chat/completions", {
      body: messages(content),
    });
    expect(data).toMatchObject({ object: "chat.completion", choices: [{ index: 0 }] });
  });

  it.each(["say", "think", "call", "break off"])(
    "streams a chat completion: %s",
    async (content) => {
      const { data } = await clientWith(FULL_KEY).POST("/v1/chat/completions", {
        body: { ...messages(content), stream: true, stream_options: { include_usage: true } },
        parseAs: "text",
      });
      expect(data).toContain('"object":"chat.completion.chunk"');
    },
  );

  it("accepts null for optional fields", async () => {
    const { response } = await clientWith(FULL_KEY).POST("/v1/chat/completions", {
      body: { ...messages("say"), model: null, max_tokens: null, stop: null, stream_options: null },
    });
    expect(response.status).toBe(200);
  });

  it("completes a prompt, with and without streaming", async () => {
    const client = clientWith(FULL_KEY);
    const body = { prompt: ["say", "more"], logprobs: 1, echo: false, suffix: null };
    const { data } = await client.POST("/v1/completions", { body });
    expect(data).toMatchObject({
      object: "text_completion",
      choices: [{ index: 0 }, { index: 1 }],
    });
    const { data: streamed } = await client.POST("/v1/completions", {
      body: { ...body, stream: true, stream_options: { include_usage: true } },
      parseAs: "text",
    });
    expect(streamed).toContain('"object":"text_completion"');
  });

  it("streams a completion that ends with an error", async () => {
    const { data } = await clientWith(FULL_KEY).POST("/v1/completions", {
      body: { prompt: "break off", stream: true },
      parseAs: "text",
    });
    expect(data).toContain("It broke.");
  });

  it("lists and describes models", async () => {
    const client = clientWith(READ_ONLY_KEY);
    const { data } = await client.GET("/v1/models", { params: { query: { limit: 1 } } });
    const id = data?.data[0]?.id ?? "";
    const { data: model } = await client.GET("/v1/models/{id}", { params: { path: { id } } });
    expect(model?.max_model_len).toBe(1000);
  });

  it("rejects a model that is not served", async () => {
    const client = clientWith(FULL_KEY);
    const { error } = await client.GET("/v1/models/{id}", { params: { path: { id: "gpt-5" } } });
    expect(error).toMatchObject({ error: { code: "model_not_found" } });
  });

  it("rejects an invalid cursor", async () => {
    const { error } = await clientWith(FULL_KEY).GET("/v1/models", {
      params: { query: { cursor: "invented" } },
    });
    expect(error).toMatchObject({ error: { code: "invalid_cursor" } });
  });
});

describe("to-dos with the typed client", () => {
  const idempotencyKey = { "Idempotency-Key": "one" };

  it("are created, returned again for an idempotent retry, and found", async () => {
    const client = clientWith(FULL_KEY);
    const create = (title: string) =>
      client.POST("/v1/todos", { params: { header: idempotencyKey }, body: { title } });
    const { data, response } = await create("milk");
    expect(data).toMatchObject({ title: "milk", completed: false });
    expect(response.headers.get("location")).toBe(`/v1/todos/${data?.id}`);
    expect((await create("milk")).response.headers.get("idempotent-replayed")).toBe("true");
    expect((await create("oats")).error).toMatchObject({
      error: { code: "IDEMPOTENCY_KEY_REUSED" },
    });
    const { data: list } = await client.GET("/v1/todos", {
      params: { query: { limit: 1, sort: "-id", completed: false, title: "MILK" } },
    });
    expect(list?.data).toEqual([data]);
  });

  it("are replaced, changed and deleted unless they were changed concurrently", async () => {
    const client = clientWith(FULL_KEY);
    const { data } = await client.POST("/v1/todos", { body: { title: "oats", completed: true } });
    const path = { id: data?.id ?? 0 };
    const fresh = await client.GET("/v1/todos/{id}", { params: { path } });
    const header = { "If-Match": fresh.response.headers.get("etag") ?? "" };
    const body = { title: "rye", completed: false };

    const replaced = await client.PUT("/v1/todos/{id}", { params: { path, header }, body });
    expect(replaced.data).toMatchObject(body);
    for (const { response } of [
      await client.PUT("/v1/todos/{id}", { params: { path, header }, body }),
      await client.PATCH("/v1/todos/{id}", { params: { path, header }, body }),
      await client.DELETE("/v1/todos/{id}", { params: { path, header } }),
    ]) {
      expect(response.status).toBe(409);
    }

    await client.PATCH("/v1/todos/{id}", { params: { path }, body: { completed: true } });
    expect((await client.DELETE("/v1/todos/{id}", { params: { path } })).response.status).toBe(204);
    for (const { response } of [
      await client.GET("/v1/todos/{id}", { params: { path } }),
      await client.PUT("/v1/todos/{id}", { params: { path }, body }),
      await client.PATCH("/v1/todos/{id}", { params: { path }, body }),
      await client.DELETE("/v1/todos/{id}", { params: { path } }),
    ]) {
      expect(response.status).toBe(404);
    }
  });

  it("are not sent again if the client's copy is current", async () => {
    const client = clientWith(READ_ONLY_KEY);
    const header = { "If-None-Match": "*" };
    for (const { response } of [
      await client.GET("/v1/todos", { params: { header } }),
      await client.GET("/v1/todos/{id}", { params: { header, path: { id: 1 } } }),
    ]) {
      expect(response.status).toBe(304);
    }
  });

  it("are rejected if invalid", async () => {
    const client = clientWith(FULL_KEY);
    const path = { id: 0 };
    for (const { response } of [
      await client.GET("/v1/todos", { params: { query: { limit: 0 } } }),
      await client.POST("/v1/todos", { body: { title: " " } }),
      await client.GET("/v1/todos/{id}", { params: { path } }),
      await client.PUT("/v1/todos/{id}", {
        params: { path },
        body: { title: "", completed: true },
      }),
      await client.PATCH("/v1/todos/{id}", { params: { path }, body: { title: "" } }),
      await client.DELETE("/v1/todos/{id}", { params: { path } }),
    ]) {
      expect(response.status).toBe(422);
    }
  });
});

describe("to-dos on the plain routes, with the typed client", () => {
  it.each([undefined, "return=minimal"])("are created, changed and deleted, %s", async (prefer) => {
    const client = clientWith(FULL_KEY);
    const header = prefer === undefined ? {} : { Prefer: prefer };
    await client.POST("/api/todos", { params: { header }, body: { title: "milk" } });
    const { data: list } = await client.GET("/api/todos");
    const params = { header, path: { id: list?.at(-1)?.id ?? 0 } };
    await client.PATCH("/api/todos/{id}", { params, body: { completed: "yes" } });
    await client.DELETE("/api/todos/{id}", { params });
    for (const { response } of [
      await client.PATCH("/api/todos/{id}", { params, body: { completed: true } }),
      await client.DELETE("/api/todos/{id}", { params }),
    ]) {
      expect(response.status).toBe(404);
    }
  });

  it("are created, changed and deleted on the deprecated routes", async () => {
    const client = clientWith(FULL_KEY);
    const { data } = await client.POST("/todos", { body: { title: "milk" } });
    expect(data).toEqual({ success: true });
    const { data: list, response } = await client.GET("/todos");
    expect(response.headers.get("link")).toContain("</v1/todos>");
    const params = { path: { id: list?.at(-1)?.id ?? 0 } };
    await client.PATCH("/todos/{id}", { params, body: { completed: true } });
    await client.DELETE("/todos/{id}", { params });
    for (const gone of [
      await client.PATCH("/todos/{id}", { params, body: { completed: true } }),
      await client.DELETE("/todos/{id}", { params }),
    ]) {
      expect(gone.response.status).toBe(404);
    }
  });
});

describe("the service routes, with the typed client", () => {
  it("return the index and health checks", async () => {
    const client = clientWith(FULL_KEY);
    expect((await client.GET("/")).data).toMatchObject({ name: "ggufd" });
    for (const { data } of [
      await client.GET("/health"),
      await client.GET("/health/ready"),
      await client.GET("/health/live"),
    ]) {
      expect(data).toMatchObject({ status: "ok" });
    }
  });

  it("return the API description", async () => {
    const client = clientWith(FULL_KEY);
    const { data, response } = await client.GET("/openapi.json");
    expect(data?.openapi).toBe("3.1.1");
    await client.GET("/openapi.yaml", { parseAs: "text" });
    for (const again of [
      await client.GET("/openapi.json", {
        params: { header: { "If-None-Match": response.headers.get("etag") ?? "" } },
      }),
      await client.GET("/openapi.yaml", { params: { header: { "If-None-Match": "*" } } }),
    ]) {
      expect(again.response.status).toBe(304);
    }
  });

  it("return the web page to browsers", async () => {
    const headers = { accept: "text/html" };
    const page = await ask("GET", "/", { headers });
    expect(page.headers.get("content-type")).toContain("text/html");
    const client = clientWith(FULL_KEY);
    const params = { path: { file: "index.js" } };
    const file = await client.GET("/page/{file}", { params, parseAs: "text" });
    expect(file.response.status).toBe(200);
    const known = { ...headers, "if-none-match": "*" };
    expect((await askWithHead("GET", "/", known)).status).toBe(304);
    expect((await askWithHead("GET", "/page/index.js", known)).status).toBe(304);
    expect((await ask("GET", "/page/index.ts")).status).toBe(404);
    expect((await ask("GET", "/page/%E0%A4%A")).status).toBe(400);
  });

  it("return the document of previews", async () => {
    const page = await temporaryFolder();
    await writeFile(join(page, "preview.html"), "<!doctype html>");
    const preview = await askAppWith({ page }, "/page/preview.html");
    expect(preview.headers.get("content-type")).toContain("text/html");
  });

  it("return the permissions of a key", async () => {
    expect((await clientWith(FULL_KEY).GET("/v1/key")).data?.access).toBe("full");
    expect((await clientWith("unknown").GET("/v1/key")).response.status).toBe(401);
    const headers = { "api-version": "v9" };
    expect((await ask("GET", "/v1/key", { headers })).status).toBe(400);
  });

  it("return the documentation page", async () => {
    const client = clientWith(FULL_KEY);
    await client.GET("/docs", { parseAs: "text" });
    for (const file of ["page.css", "initialiser.js", "favicon-32x32.png"] as const) {
      const { response } = await client.GET("/docs/{file}", {
        params: { path: { file } },
        parseAs: "text",
      });
      expect(response.status).toBe(200);
    }
    // `fetch` adds `Cache-Control: no-cache` to conditional requests.
    const known = { "if-none-match": "*" };
    expect((await askWithHead("GET", "/docs/swagger-ui.css", known)).status).toBe(304);
    expect((await ask("GET", "/docs/index.js")).status).toBe(404);
  });
});

interface Options {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Sends a request that the typed client would not send. */
function ask(method: string, path: string, { headers, body }: Options = {}): Promise<Response> {
  const type: Record<string, string> =
    body === undefined ? {} : { "content-type": "application/json" };
  return describedFetch(
    new Request(`${server.url}${path}`, {
      method,
      headers: { "x-api-key": FULL_KEY, ...type, ...headers },
      ...(body !== undefined && { body }),
    }),
  );
}

async function askWithHead(method: string, path: string, headers: Options["headers"]) {
  const response = await sendHead({
    method,
    url: `${server.url}${path}`,
    headers: { "x-api-key": FULL_KEY, ...headers },
  });
  await answers.check(method, path.replace(/\?.*/, ""), response.clone());
  return response;
}

/** Sends a request to an application without keys, built with these options. */
async function askAppWith(
  options: TestAppOptions,
  path: string,
  { method = "GET", body }: { readonly method?: string; readonly body?: string | undefined } = {},
): Promise<Response> {
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), options);
  onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const headers = { "content-type": "application/json" };
  return describedFetch(
    new Request(`${url}${path}`, { method, ...(body !== undefined && { body, headers }) }),
  );
}

/** Starts an application whose users sign in at a provider. */
async function startWithProvider() {
  const provider = await StandInProvider.create();
  const { login, verify } = new OidcProvider({
    issuer: ISSUER,
    audiences: [CLIENT_ID],
    nameClaim: "sub",
    client: { clientId: CLIENT_ID, scope: "openid" },
    warn: () => undefined,
    fetch: provider.fetch,
  });
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
    identities: { rules: ["* scopes=inference"], login, verify },
  });
  onTestFinished(() => app.close());
  const baseUrl = await app.listen({ port: 0, host: "127.0.0.1" });
  return { provider, client: createClient<paths>({ baseUrl, fetch: describedFetch }) };
}

/** Paths that require a key with the scope of the operator. */
const OPERATOR_PATHS = [
  "/metrics",
  "/slots",
  "/slots/{id}",
  "/v1/load_lora_adapter",
  "/v1/unload_lora_adapter",
  ...["/v1/keys", "/v1/keys/{id}", "/v1/keys/{id}/rotate", "/v1/audit"],
  "/api/pull",
  "/api/copy",
  "/api/create",
  "/api/delete",
  "/v1/models",
  "/v1/models/load",
  "/v1/models/unload",
  "/v1/models/search",
  "/v1/models/sse",
];

/** A request that succeeds unless the test makes it fail. */
type Call = [method: string, path: string, body?: string];

const chat: Call = [
  "POST",
  "/v1/chat/completions",
  '{"messages":[{"role":"user","content":"say"}]}',
];
const chatTokens: Call = ["POST", "/v1/chat/completions/input_tokens", chat[2]];
const infill: Call = ["POST", "/infill", '{"input_prefix":"say","input_suffix":"more"}'];
/** llama-server's own completions. */
const native: readonly Call[] = [
  ["POST", "/completion", '{"prompt":"say"}'],
  ["POST", "/completions", '{"prompt":"say"}'],
];
const textCompletion: Call = ["POST", "/v1/completions", '{"prompt":"say"}'];
const message: Call = [
  "POST",
  "/v1/messages",
  '{"max_tokens":9,"messages":[{"role":"user","content":"say"}]}',
];
const countTokens: Call = ["POST", "/v1/messages/count_tokens", message[2]];
const response: Call = ["POST", "/v1/responses", '{"input":"say"}'];
const inputTokens: Call = ["POST", "/v1/responses/input_tokens", response[2]];
const embeddings: Call = ["POST", "/v1/embeddings", '{"input":"say"}'];
const rankings: readonly Call[] = [
  ["POST", "/v1/rerank", '{"query":"say","documents":["say","more"]}'],
  ["POST", "/v2/rerank", '{"query":"say","documents":["say","more"]}'],
  ["POST", "/rerank", '{"query":"say","documents":["say","more"]}'],
];
const scores: Call = ["POST", "/v1/score", '{"text_1":"say","text_2":"more"}'];
/** Calls that return embeddings or scores. */
const pooling: readonly Call[] = [
  embeddings,
  ["POST", "/embedding", '{"content":"say"}'],
  ["POST", "/embeddings", '{"input":["say","more"]}'],
  ["POST", "/v1/embed", '{"texts":["say","more"]}'],
  ["POST", "/v2/embed", '{"texts":["say"],"embedding_types":["float","ubinary"]}'],
  ...rankings,
  scores,
];
/** Calls for tokenization and templates. */
const textQuestions: readonly Call[] = [
  ["POST", "/tokenize", '{"content":"say"}'],
  ["POST", "/detokenize", '{"tokens":[97]}'],
  ["POST", "/apply-template", '{"messages":[{"role":"user","content":"say"}]}'],
];
const predictions: Call = ["POST", "/predict", '{"instances":[]}'];
/** Calls that use a model. */
const inference: readonly Call[] = [
  chat,
  chatTokens,
  textCompletion,
  infill,
  ...native,
  message,
  countTokens,
  ...textQuestions,
  response,
  inputTokens,
  ...pooling,
];
const changes: readonly Call[] = [
  ["POST", "/v1/todos", '{"title":"milk"}'],
  ["PUT", "/v1/todos/1", '{"title":"milk","completed":true}'],
  ["PATCH", "/v1/todos/1", '{"completed":true}'],
  ["DELETE", "/v1/todos/1"],
];
const plainChanges: readonly Call[] = ["/api/todos", "/todos"].flatMap((path): Call[] => [
  ["POST", path, '{"title":"milk"}'],
  ["PATCH", `${path}/1`, '{"completed":true}'],
  ["DELETE", `${path}/1`],
]);
const modelReads: readonly Call[] = [
  ["GET", "/v1/models"],
  ["GET", "/v1/models/scripted"],
];
const todoReads: readonly Call[] = [
  ["GET", "/v1/todos"],
  ["GET", "/v1/todos/1"],
];
const reads = [...modelReads, ...todoReads];
const plainReads: readonly Call[] = [
  ["GET", "/api/todos"],
  ["GET", "/todos"],
];

describe("POST /infill", () => {
  it.each(["say", "break off"])(
    "completes a gap, with and without streaming: %s",
    async (prefix) => {
      for (const stream of [false, true]) {
        const body = JSON.stringify({ input_prefix: prefix, input_suffix: "", stream });
        const { status } = await ask("POST", "/infill", { body });
        expect(status).toBe(prefix === "break off" && !stream ? 500 : 200);
      }
    },
  );

  it.each([
    ['{"input_prefix":"say"}', "invalid_request"],
    ['{"input_prefix":"say","input_suffix":"","use_beam_search":true}', "unsupported_parameter"],
    [`{"input_prefix":"${"x".repeat(1000)}","input_suffix":""}`, "context_length_exceeded"],
  ])("rejects %.60s", async (body, code) => {
    expect(await (await ask("POST", "/infill", { body })).json()).toMatchObject({
      error: { code },
    });
  });
});

describe("POST /predict with several instances", () => {
  it.each([
    ['{"instances":[{"@requestFormat":"detokenize","tokens":[97]},7]}', 200],
    ['{"instances":7}', 400],
  ])("accepts or rejects %s", async (body, status) => {
    expect((await ask("POST", "/predict", { body })).status).toBe(status);
  });
});

describe.each(native)("a prompt in llama-server's format: %s %s", (method, path) => {
  it.each(["say", "break off"])("is completed, with and without streaming: %s", async (prompt) => {
    for (const stream of [false, true]) {
      const told = { return_tokens: true, return_progress: true, timings_per_token: true };
      const body = JSON.stringify({ prompt, stream, n_probs: 1, ...told });
      const { status } = await ask(method, path, { body });
      expect(status).toBe(prompt === "break off" && !stream ? 500 : 200);
    }
  });

  it("returns several completions for several prompts", async () => {
    const body = '{"prompt":["say",["say",97]],"n_cmpl":2}';
    expect(await (await ask(method, path, { body })).json()).toHaveLength(4);
  });

  it.each([
    ['{"prompt":7}', "invalid_request"],
    ['{"prompt":"say","use_beam_search":true}', "unsupported_parameter"],
    [`{"prompt":"${"x".repeat(1000)}"}`, "context_length_exceeded"],
  ])("is rejected if invalid: %.60s", async (body, code) => {
    expect(await (await ask(method, path, { body })).json()).toMatchObject({ error: { code } });
  });
});

describe.each(["/v1/audio/transcriptions", "/v1/audio/translations"])("audio at %s", (path) => {
  const file = new Blob(["RIFF"]);

  /** Sends a form. */
  const send = (fields: Readonly<Record<string, FieldValue>>, headers: Options["headers"] = {}) =>
    describedFetch(
      new Request(`${server.url}${path}`, {
        method: "POST",
        headers: { "x-api-key": FULL_KEY, ...headers },
        body: formOf(fields),
      }),
    );

  it.each<Readonly<Record<string, string>>>([
    {},
    { response_format: "text" },
    { response_format: "verbose_json", temperature: "0.5" },
    { stream: "true" },
    { stream: "true", prompt: "break off" },
  ])("is transcribed: %j", async (fields) => {
    expect((await send({ file, ...fields })).status).toBe(200);
  });

  it.each<[Readonly<Record<string, FieldValue>>, string]>([
    [{}, "invalid_request"],
    [{ file, "timestamp_granularities[]": "word" }, "unsupported_parameter"],
    [{ file, prompt: "x".repeat(1000) }, "context_length_exceeded"],
    [{ file, model: "gpt-5" }, "model_not_found"],
  ])("is rejected if invalid: %.60j", async (fields, code) => {
    expect(await (await send(fields)).json()).toMatchObject({ error: { code } });
  });

  it("is rejected without a key, with a read-only key, and for an unknown API version", async () => {
    expect((await send({ file }, { "x-api-key": "" })).status).toBe(401);
    expect((await send({ file }, { "x-api-key": READ_ONLY_KEY })).status).toBe(403);
    expect((await send({ file }, { "api-version": "v9" })).status).toBe(400);
  });

  it("is rejected if the body is not a form or is too large", async () => {
    expect((await ask("POST", path, { body: "{}" })).status).toBe(415);
    const large = {
      "content-type": "multipart/form-data; boundary=b",
      "content-length": "99999999",
    };
    expect((await askWithHead("POST", path, large)).status).toBe(413);
  });

  it.each([
    ["chat_template_error", 400],
    ["model_loading", 503],
    ["model_unavailable", 503],
    ["shutting_down", 503],
    ["server_overloaded", 503],
    ["internal_error", 500],
  ] as const)("is not transcribed if the model fails: %s", async (code, status) => {
    server.breakModels(new GgufdError(code, "It cannot be had.", { retryAfterSeconds: 2 }));
    expect((await send({ file })).status).toBe(status);
  });
});

describe("GET /props", () => {
  it("requires a key", async () => {
    const withKey = (key: string) => ({ headers: { "x-api-key": key } });
    expect((await ask("GET", "/props", withKey(READ_ONLY_KEY))).status).toBe(200);
    expect((await ask("GET", "/props", withKey(""))).status).toBe(401);
  });

  it.each([
    ["/props?model=", 400],
    ["/props?model=gpt-5", 404],
  ])("rejects an unknown or empty model name: %s", async (path, status) => {
    expect((await ask("GET", path)).status).toBe(status);
  });

  it("fails if the model is unavailable", async () => {
    for (const code of ["model_loading", "model_unavailable", "shutting_down"] as const) {
      server.breakModels(new GgufdError(code, "There is none.", { retryAfterSeconds: 2 }));
      expect((await ask("GET", "/props")).status).toBe(503);
    }
    server.breakModels(new GgufdError("server_overloaded", "Too many.", { retryAfterSeconds: 4 }));
    expect((await ask("GET", "/props?autoload=true")).status).toBe(503);
    server.breakModels(new Error("an internal error"));
    expect((await ask("GET", "/props")).status).toBe(500);
  });
});

describe("embeddings and reranking", () => {
  it.each(pooling)("return results: %s %s", async (method, path, body) => {
    expect((await ask(method, path, { body })).status).toBe(200);
  });

  it.each([
    ["/v1/embeddings", { input: ["say", "more"], encoding_format: "base64", dimensions: 2 }],
    ["/v1/embeddings", { input: [[97], [98, 99]], truncate: null }],
    ["/v1/rerank", { query: "say", documents: [{ text: "say" }], return_documents: true }],
    ["/rerank", { query: "say", texts: ["say", "more"], return_text: true, raw_scores: true }],
    ["/v1/score", { model: "embedder", text_1: "say", text_2: ["say", "more"] }],
  ])("accept alternative inputs and formats: %s %j", async (path, fields) => {
    expect((await ask("POST", path, { body: JSON.stringify(fields) })).status).toBe(200);
  });

  const long = "x".repeat(1000);
  it.each([
    ["/v1/embeddings", "invalid_request", { input: [] }],
    ["/v1/embeddings", "invalid_request", { input: "say", dimensions: 1000 }],
    ["/v1/embeddings", "invalid_request", { input: "say", model: "scripted" }],
    ["/v1/embeddings", "context_length_exceeded", { input: long }],
    ["/embedding", "context_length_exceeded", { content: long }],
    ["/embeddings", "context_length_exceeded", { input: long }],
    ["/v1/embed", "invalid_request", { texts: [] }],
    ["/v2/embed", "invalid_request", { inputs: [7] }],
    ["/v1/embed", "context_length_exceeded", { texts: [long], truncate: "NONE" }],
    ["/v2/embed", "context_length_exceeded", { texts: [long], truncate: "NONE" }],
    ["/v1/rerank", "invalid_request", { query: "say" }],
    ["/v1/rerank", "context_length_exceeded", { query: "say", documents: [long] }],
    ["/v2/rerank", "context_length_exceeded", { query: "say", documents: [long] }],
    ["/rerank", "context_length_exceeded", { query: "say", texts: [long] }],
    ["/v1/score", "invalid_request", { text_1: ["a", "b"], text_2: "c" }],
    ["/v1/score", "context_length_exceeded", { text_1: "a", text_2: long }],
  ])("reject invalid requests: %s, %s", async (path, code, fields) => {
    const response = await ask("POST", path, { body: JSON.stringify(fields) });
    expect(await response.json()).toMatchObject({ error: { code } });
  });
});

describe("tokenization routes", () => {
  it.each(textQuestions)("return results: %s %s", async (method, path, body) => {
    expect((await ask(method, path, { body })).status).toBe(200);
  });

  it("return token strings on request", async () => {
    const body = '{"prompt":"say","with_pieces":true,"return_token_strs":true}';
    expect((await ask("POST", "/tokenize", { body })).status).toBe(200);
  });
});

describe("Anthropic messages", () => {
  const messages = (content: string) => [{ role: "user", content }];

  it.each(["say", "think", "call"])("are answered: %s", async (content) => {
    const body = JSON.stringify({ max_tokens: 9, messages: messages(content) });
    const response = await ask("POST", "/v1/messages", { body });
    expect(await response.json()).toMatchObject({ type: "message" });
  });

  it.each(["say", "think", "call", "break off"])("are streamed: %s", async (content) => {
    const body = JSON.stringify({ max_tokens: 9, stream: true, messages: messages(content) });
    const response = await ask("POST", "/v1/messages", { body });
    expect(await response.text()).toMatch(/^event: message_start\n/);
  });

  it("are counted in tokens", async () => {
    const [method, path, body] = countTokens;
    expect(await (await ask(method, path, { body })).json()).toEqual({ input_tokens: 3 });
  });

  it.each([message, countTokens])("require a served model: %s %s", async (method, path) => {
    const body = JSON.stringify({ model: "gpt-5", max_tokens: 9, messages: messages("say") });
    expect((await ask(method, path, { body })).status).toBe(404);
  });
});

/** Reads of stored objects that do not exist. */
const storedReads: readonly Call[] = [
  ["GET", "/v1/responses/none"],
  ["GET", "/v1/responses/none/input_items"],
  ["GET", "/v1/conversations/none"],
  ["GET", "/v1/conversations/none/items"],
  ["GET", "/v1/conversations/none/items/none"],
];
const storedChanges: readonly Call[] = [
  ["DELETE", "/v1/responses/none"],
  ["POST", "/v1/responses/none/cancel"],
  ["POST", "/v1/conversations/none", "{}"],
  ["DELETE", "/v1/conversations/none"],
  ["POST", "/v1/conversations/none/items", '{"items":[{"role":"user","content":"say"}]}'],
  ["DELETE", "/v1/conversations/none/items/none"],
];
const newConversation: Call = ["POST", "/v1/conversations", "{}"];
const listOfConversations: Call = ["GET", "/v1/conversations"];

/** All ids in a body, in order. */
async function idsIn(answer: Response): Promise<readonly (string | undefined)[]> {
  return Array.from((await answer.text()).matchAll(/"id":"(\w+)"/g), ([, id]) => id);
}

describe("counting the tokens of a chat", () => {
  const [method, path, body] = chatTokens;

  it("returns the count", async () => {
    expect(await (await ask(method, path, { body })).json()).toMatchObject({ input_tokens: 3 });
  });

  it.each([
    ['{"messages":7}', "invalid_request"],
    [
      '{"messages":[{"role":"user","content":"say"}],"use_beam_search":true}',
      "unsupported_parameter",
    ],
    [`{"messages":[{"role":"user","content":"${"x".repeat(1000)}"}]}`, "context_length_exceeded"],
  ])("rejects invalid requests: %.60s", async (refused, code) => {
    const answer = await ask(method, path, { body: refused });
    expect(await answer.json()).toMatchObject({ error: { code } });
  });

  it("fails if the chat template rejects the messages", async () => {
    server.breakModels(new GgufdError("chat_template_error", "The template refuses."));
    expect((await ask(method, path, { body })).status).toBe(400);
  });
});

describe("counting the input tokens of a response", () => {
  it("returns the count", async () => {
    const [method, path, body] = inputTokens;
    expect((await ask(method, path, { body })).status).toBe(200);
  });

  it.each([
    ['{"input":7}', "invalid_request"],
    ['{"input":"say","prompt":{"id":"a"}}', "unsupported_parameter"],
    [`{"input":"${"x".repeat(1000)}"}`, "context_length_exceeded"],
    ['{"input":"say","previous_response_id":"resp_0"}', "previous_response_not_found"],
    ['{"input":[{"type":"item_reference","id":"msg_0"}]}', "not_found"],
  ])("rejects invalid requests: %.60s", async (body, code) => {
    const answer = await ask("POST", "/v1/responses/input_tokens", { body });
    expect(await answer.json()).toMatchObject({ error: { code } });
  });

  it("fails if the chat template rejects the input", async () => {
    const [method, path, body] = inputTokens;
    server.breakModels(new GgufdError("chat_template_error", "The template refuses."));
    expect((await ask(method, path, { body })).status).toBe(400);
  });

  it("answers 501 for /v1/responses/compact, after checking the key", async () => {
    const path = "/v1/responses/compact";
    const withKey = (key: string) => ({ headers: { "x-api-key": key }, body: "{}" });
    expect((await ask("POST", path, { body: "{}" })).status).toBe(501);
    expect((await ask("POST", path, withKey(""))).status).toBe(401);
    expect((await ask("POST", path, withKey(READ_ONLY_KEY))).status).toBe(403);
  });
});

describe("the Responses API", () => {
  const created = async (fields: object = {}) => {
    const body = JSON.stringify({ input: "say", ...fields });
    const [id] = await idsIn(await ask("POST", "/v1/responses", { body }));
    return `/v1/responses/${id}`;
  };

  it.each(["say", "think", "call"])(
    "creates responses, with and without streaming: %s",
    async (input) => {
      const whole = await ask("POST", "/v1/responses", { body: JSON.stringify({ input }) });
      expect(await whole.json()).toMatchObject({ object: "response" });
      const body = JSON.stringify({ input, stream: true, reasoning: { summary: "auto" } });
      const streamed = await ask("POST", "/v1/responses", { body });
      expect(await streamed.text()).toMatch(/^event: response\.created\n/);
    },
  );

  it("reports a failed background response in its stream", async () => {
    const body = JSON.stringify({ input: "break off", background: true, stream: true });
    const streamed = await ask("POST", "/v1/responses", { body });
    expect(await streamed.text()).toContain("response.failed");
  });

  it("returns, lists, cancels and deletes responses", async () => {
    const path = await created({ background: true, stream: false });
    expect((await ask("GET", path)).status).toBe(200);
    expect((await ask("GET", `${path}/input_items`)).status).toBe(200);
    expect((await ask("GET", `${path}?stream=true`)).status).toBe(400);
    expect((await ask("POST", `${path}/cancel`)).status).toBe(200);
    expect((await ask("DELETE", path)).status).toBe(200);
    expect((await ask("POST", `${await created()}/cancel`)).status).toBe(400);
  });

  it("replays the stream of a background response", async () => {
    const body = JSON.stringify({ input: "say", background: true, stream: true });
    const streamed = await (await ask("POST", "/v1/responses", { body })).text();
    const [id] = /resp_\w+/.exec(streamed) ?? [];
    const again = await ask("GET", `/v1/responses/${id}?stream=true`);
    expect(await again.text()).toBe(streamed);
  });

  it("continues a conversation", async () => {
    const body = '{"items":[{"role":"system","content":"Be brief."}]}';
    const [id] = await idsIn(await ask("POST", "/v1/conversations", { body }));
    const path = `/v1/conversations/${id}`;
    await created({ conversation: id, input: "think" });
    const [method, , newItem] = storedChanges[4] ?? response;
    expect((await ask(method, `${path}/items`, { body: newItem })).status).toBe(200);
    const ids = await idsIn(await ask("GET", `${path}/items`));
    const items = ids.filter((id) => !id?.startsWith("resp_"));
    expect(items).toHaveLength(5);
    expect((await ask("GET", `${path}/items/${items[0]}`)).status).toBe(200);
    expect((await ask("DELETE", `${path}/items/${items[0]}`)).status).toBe(200);
    expect((await ask("GET", path)).status).toBe(200);
    expect((await idsIn(await ask("GET", "/v1/conversations")))[0]).toBe(id);
    expect((await ask("POST", path, { body: '{"metadata":{"a":"b"}}' })).status).toBe(200);
    expect((await ask("DELETE", path)).status).toBe(200);
  });

  it("rejects changes to a conversation while a response is generated for it", async () => {
    const [id] = await idsIn(await ask("POST", "/v1/conversations", { body: "{}" }));
    const wait = JSON.stringify({ conversation: id, input: "wait", background: true });
    const [running] = await idsIn(await ask("POST", "/v1/responses", { body: wait }));
    expect((await ask("POST", "/v1/responses", { body: wait })).status).toBe(409);
    const items = JSON.stringify({ items: [{ role: "user", content: "say" }] });
    const path = `/v1/conversations/${id}/items`;
    expect((await ask("POST", path, { body: items })).status).toBe(409);
    expect((await ask("DELETE", `/v1/responses/${running}`)).status).toBe(200);
  });

  it.each([
    ['{"input":"say","temperature":"hot"}', "invalid_request"],
    ['{"input":"say","prompt":{"id":"a"}}', "unsupported_parameter"],
    ['{"input":"say","model":"gpt-5"}', "model_not_found"],
    ['{"input":"say","previous_response_id":"none"}', "previous_response_not_found"],
    ['{"input":[{"type":"item_reference","id":"none"}]}', "not_found"],
    [`{"input":"${"x".repeat(1000)}"}`, "context_length_exceeded"],
  ])("rejects invalid requests: %.70s", async (body, code) => {
    const refused = await ask("POST", "/v1/responses", { body });
    expect(await refused.json()).toMatchObject({ error: { code } });
  });

  it("fails if the chat template rejects the input", async () => {
    server.breakModels(new GgufdError("chat_template_error", "The template refuses."));
    const [method, path, body] = response;
    expect((await ask(method, path, { body })).status).toBe(400);
  });

  it.each([...storedReads, ...storedChanges])(
    "answers 404 for objects that do not exist: %s %s",
    async (method, path, body) => {
      expect((await ask(method, path, { body })).status).toBe(404);
    },
  );

  it.each([
    ["POST", "/v1/conversations", '{"metadata":1}', 400],
    ["POST", "/v1/conversations", '{"items":[{"type":"item_reference","id":"none"}]}', 404],
    ["POST", "/v1/conversations/none", '{"metadata":1}', 400],
    ["POST", "/v1/conversations/none/items", '{"items":1}', 400],
    ["GET", "/v1/conversations?limit=0", undefined, 400],
    ["GET", "/v1/conversations/none/items?limit=0", undefined, 400],
    ["GET", "/v1/responses/none/input_items?limit=0", undefined, 400],
  ])("rejects invalid fields: %s %s %s", async (method, path, body, status) => {
    expect((await ask(method, path, { body })).status).toBe(status);
  });

  it.each([...storedReads, ...storedChanges, newConversation, listOfConversations])(
    "requires a key and a known API version: %s %s",
    async (method, path, body) => {
      const without = { "x-api-key": "" };
      expect((await ask(method, path, { headers: without, body })).status).toBe(401);
      const other = { "api-version": "v9" };
      expect((await ask(method, path, { headers: other, body })).status).toBe(400);
    },
  );

  it.each([...storedChanges, newConversation])(
    "requires a full-access key and a valid JSON body: %s %s",
    async (method, path, body) => {
      const readOnly = { "x-api-key": READ_ONLY_KEY };
      expect((await ask(method, path, { headers: readOnly, body })).status).toBe(403);
      expect((await ask(method, path, { body: '{"items":' })).status).toBe(400);
      const plain = { "content-type": "text/plain" };
      expect((await ask(method, path, { headers: plain, body: "items" })).status).toBe(415);
      const large = { "content-type": "application/json", "content-length": "99999999" };
      expect((await askWithHead(method, path, large)).status).toBe(413);
    },
  );
});

describe("API keys", () => {
  const lists: readonly Call[] = [
    ["GET", "/v1/keys"],
    ["GET", "/v1/audit"],
  ];
  const creation: Call = ["POST", "/v1/keys", '{"name":"new"}'];
  const keyChanges: readonly Call[] = [
    ["PATCH", "/v1/keys/none", '{"disabled":true}'],
    ["POST", "/v1/keys/none/rotate", "{}"],
    ["DELETE", "/v1/keys/none"],
  ];
  const entry: Call = ["GET", "/v1/keys/none"];
  const all = [...lists, entry, creation, ...keyChanges];
  const name = `key-${computeKeyHash(FULL_KEY).slice(0, 8)}`;

  it("are created, listed, changed, rotated and deleted", async () => {
    const body = JSON.stringify({ name: "alice", scopes: ["inference"], concurrent: 1 });
    expect((await ask("POST", "/v1/keys", { body })).status).toBe(200);
    expect((await ask("GET", "/v1/keys/alice")).status).toBe(200);
    const change = JSON.stringify({ disabled: true, concurrent: null });
    expect((await ask("PATCH", "/v1/keys/alice", { body: change })).status).toBe(200);
    const grace = JSON.stringify({ grace_seconds: 60 });
    expect((await ask("POST", "/v1/keys/alice/rotate", { body: grace })).status).toBe(200);
    expect((await ask("POST", "/v1/keys", { body })).status).toBe(409);
    expect((await ask("DELETE", "/v1/keys/alice")).status).toBe(200);
    for (const [method, path] of lists) expect((await ask(method, path)).status).toBe(200);
  });

  it.each(keyChanges)("of the configuration cannot be changed: %s %s", async (...call) => {
    const [method, path, body] = call;
    expect((await ask(method, path.replace("none", name), { body })).status).toBe(409);
  });

  it.each([entry, ...keyChanges])("that do not exist: %s %s", async (method, path, body) => {
    expect((await ask(method, path, { body })).status).toBe(404);
  });

  it.each<Call>([
    ["GET", "/v1/keys?limit=0"],
    ["GET", "/v1/audit?after=none"],
    ["POST", "/v1/keys", "{}"],
    ["PATCH", "/v1/keys/none", '{"disabled":"yes"}'],
    ["POST", "/v1/keys/none/rotate", '{"grace_seconds":-1}'],
  ])("with invalid fields: %s %s", async (method, path, body) => {
    expect((await ask(method, path, { body })).status).toBe(400);
  });

  it.each(all)("require a key and a known API version: %s %s", async (method, path, body) => {
    expect((await ask(method, path, { headers: { "x-api-key": "" }, body })).status).toBe(401);
    const other = { "api-version": "v9" };
    expect((await ask(method, path, { headers: other, body })).status).toBe(400);
  });

  it.each([...lists, entry])("require the scope admin: %s %s", async (method, path) => {
    const headers = { "x-api-key": TODOS_KEY };
    expect((await ask(method, path, { headers })).status).toBe(403);
  });

  it.each([creation, ...keyChanges])(
    "require a key with full access and a valid JSON body: %s %s",
    async (method, path, body) => {
      const readOnly = { "x-api-key": READ_ONLY_KEY };
      expect((await ask(method, path, { headers: readOnly, body })).status).toBe(403);
      expect((await ask(method, path, { body: '{"name":' })).status).toBe(400);
      const plain = { "content-type": "text/plain" };
      expect((await ask(method, path, { headers: plain, body: "name" })).status).toBe(415);
      const large = { "content-type": "application/json", "content-length": "9999999999" };
      expect((await askWithHead(method, path, large)).status).toBe(413);
    },
  );

  it("that are too many", async () => {
    server.breakKeys(new GgufdError("storage_quota_exceeded", "There are too many."));
    const [method, path, body] = creation;
    expect((await ask(method, path, { body })).status).toBe(507);
  });

  it.each(["storage_full", "storage_unavailable", "shutting_down", "internal"] as const)(
    "that cannot be stored: %s",
    async (code) => {
      const error =
        code === "internal"
          ? new Error("an internal error")
          : new GgufdError(code, "It cannot be stored.", { retryAfterSeconds: 5 });
      server.breakKeys(error);
      const status = error instanceof GgufdError ? error.status : 500;
      const calls = code === "internal" ? [...lists.slice(1), creation] : [creation];
      for (const [method, path, body] of [...calls, ...keyChanges]) {
        expect([path, (await ask(method, path, { body })).status]).toEqual([path, status]);
      }
    },
  );

  it("cannot be changed without a key store", async () => {
    for (const [method, path, body] of [...lists.slice(1), creation, ...keyChanges]) {
      const response = await askAppWith({}, path, { method, body });
      expect([path, response.status]).toEqual([path, 501]);
    }
  });
});

describe("files and batches", () => {
  const sendFile = (text: string, headers: Options["headers"] = {}) =>
    describedFetch(
      new Request(`${server.url}/v1/files`, {
        method: "POST",
        headers: { "x-api-key": FULL_KEY, ...headers },
        body: formOf({ purpose: "batch", file: new Blob([text]) }),
      }),
    );
  const line = JSON.stringify({
    ...{ custom_id: "a", method: "POST", url: "/v1/chat/completions" },
    body: { messages: [{ role: "user", content: "say" }] },
  });
  const newBatch = (file: unknown) =>
    JSON.stringify({
      input_file_id: file,
      ...{ endpoint: "/v1/chat/completions", completion_window: "24h" },
    });
  const requests = [{ custom_id: "a", params: { max_tokens: 9, messages: [] } }];
  const newMessageBatch: Call = ["POST", "/v1/messages/batches", JSON.stringify({ requests })];
  const lists: readonly Call[] = [
    ["GET", "/v1/files"],
    ["GET", "/v1/batches"],
    ["GET", "/v1/messages/batches"],
  ];
  const batchReads: readonly Call[] = [
    ["GET", "/v1/files/none"],
    ["GET", "/v1/files/none/content"],
    ["GET", "/v1/batches/none"],
    ["GET", "/v1/messages/batches/none"],
    ["GET", "/v1/messages/batches/none/results"],
  ];
  const batchChanges: readonly Call[] = [
    ["DELETE", "/v1/files/none"],
    ["POST", "/v1/batches/none/cancel"],
    ["POST", "/v1/messages/batches/none/cancel"],
    ["DELETE", "/v1/messages/batches/none"],
    ["POST", "/v1/batches", newBatch("none")],
  ];
  const withJson = [...batchChanges, newMessageBatch];

  it("are stored, run, downloaded and deleted", async () => {
    const file = (await (await sendFile(line)).json()) as { id: string };
    const created = await ask("POST", "/v1/batches", { body: newBatch(file.id) });
    const { id } = (await created.json()) as { id: string };
    const output = await eventually(async () => {
      const batch = (await (await ask("GET", `/v1/batches/${id}`)).json()) as {
        output_file_id: string;
      };
      expect(batch.output_file_id).not.toBeNull();
      return batch.output_file_id;
    });
    expect((await ask("GET", `/v1/files/${output}`)).status).toBe(200);
    expect(await (await ask("GET", `/v1/files/${output}/content`)).text()).toContain('"a"');
    for (const [method, path] of lists) expect((await ask(method, path)).status).toBe(200);
    expect((await ask("POST", `/v1/batches/${id}/cancel`)).status).toBe(400);
    expect((await ask("DELETE", `/v1/files/${file.id}`)).status).toBe(200);
  });

  it("cannot be deleted while they are used", async () => {
    const waiting = line.replace("say", "wait");
    const file = (await (await sendFile(waiting)).json()) as { id: string };
    const created = await ask("POST", "/v1/batches", { body: newBatch(file.id) });
    const { id } = (await created.json()) as { id: string };
    expect((await ask("DELETE", `/v1/files/${file.id}`)).status).toBe(409);
    expect((await ask("POST", `/v1/batches/${id}/cancel`)).status).toBe(200);
  });

  it("of messages run, and are cancelled and deleted", async () => {
    const [method, path, body = ""] = newMessageBatch;
    const message = { custom_id: "b", params: { max_tokens: 9, messages: [] as object[] } };
    message.params.messages.push({ role: "user", content: "wait" });
    const waiting = JSON.stringify({ requests: [message] });
    const created = await ask(method, path, { body: waiting });
    const { id } = (await created.json()) as { id: string };
    expect((await ask("DELETE", `${path}/${id}`)).status).toBe(409);
    expect((await ask("POST", `${path}/${id}/cancel`)).status).toBe(200);
    await eventually(async () => {
      const batch = await ask("GET", `${path}/${id}`);
      expect(await batch.json()).toMatchObject({ processing_status: "ended" });
    });
    expect((await ask("GET", `${path}/${id}/results`)).status).toBe(200);
    expect((await ask("POST", `${path}/${id}/cancel`)).status).toBe(400);
    expect((await ask("DELETE", `${path}/${id}`)).status).toBe(200);
    expect((await ask(method, path, { body })).status).toBe(200);
  });

  it.each([...batchReads, ...batchChanges])("that do not exist: %s %s", async (...call) => {
    const [method, path, body] = call;
    expect((await ask(method, path, { body })).status).toBe(404);
  });

  it.each<Call>([
    ["GET", "/v1/files?limit=0"],
    ["GET", "/v1/batches?after=none"],
    ["GET", "/v1/messages/batches?after_id=none"],
    ["POST", "/v1/batches", '{"input_file_id":1}'],
    ["POST", "/v1/messages/batches", '{"requests":[]}'],
  ])("with invalid fields: %s %s", async (method, path, body) => {
    expect((await ask(method, path, { body })).status).toBe(400);
  });

  const upload: Call = ["POST", "/v1/files"];

  it.each([...lists, ...batchReads, ...withJson, upload])(
    "require a key and a known API version: %s %s",
    async (method, path, body) => {
      expect((await ask(method, path, { headers: { "x-api-key": "" }, body })).status).toBe(401);
      const other = { "api-version": "v9" };
      expect((await ask(method, path, { headers: other, body })).status).toBe(400);
    },
  );

  it.each([...withJson, upload])(
    "require a key with full access: %s %s",
    async (method, path, body) => {
      const readOnly = { "x-api-key": READ_ONLY_KEY };
      expect((await ask(method, path, { headers: readOnly, body })).status).toBe(403);
    },
  );

  it.each(withJson)("require a valid JSON body: %s %s", async (method, path) => {
    expect((await ask(method, path, { body: '{"items":' })).status).toBe(400);
    const plain = { "content-type": "text/plain" };
    expect((await ask(method, path, { headers: plain, body: "items" })).status).toBe(415);
    const large = { "content-type": "application/json", "content-length": "9999999999" };
    expect((await askWithHead(method, path, large)).status).toBe(413);
  });

  it("are uploaded as forms of a limited size", async () => {
    expect((await ask("POST", "/v1/files", { body: "{}" })).status).toBe(415);
    const type = "multipart/form-data; boundary=b";
    const large = { "content-type": type, "content-length": "9999999999" };
    expect((await askWithHead("POST", "/v1/files", large)).status).toBe(413);
    expect((await sendFile("")).status).toBe(400);
  });

  it("exceed the share of their key", async () => {
    const text = "x".repeat(BATCHES_BYTES);
    const messages = [{ role: "user", content: text }];
    const long = [{ custom_id: "a", params: { max_tokens: 9, messages } }];
    const body = JSON.stringify({ requests: long });
    expect((await sendFile(text)).status).toBe(507);
    expect((await ask("POST", "/v1/messages/batches", { body })).status).toBe(507);
  });

  const fault = (
    code: "unsupported_operation" | "storage_full" | "storage_unavailable" | "shutting_down",
  ) => new GgufdError(code, "It cannot be stored.", { retryAfterSeconds: 5 });

  it.each([
    fault("unsupported_operation"),
    fault("storage_full"),
    fault("storage_unavailable"),
    fault("shutting_down"),
    new Error("an internal error"),
  ])("that cannot be used: %s", async (error) => {
    server.breakBatches(error);
    const status = error instanceof GgufdError ? error.status : 500;
    const calls =
      status === 507 || status === 503 ? withJson : [...lists, ...batchReads, ...withJson];
    for (const [method, path, body] of calls) {
      expect([path, (await ask(method, path, { body })).status]).toEqual([path, status]);
    }
    expect((await sendFile(line)).status).toBe(status);
  });
});

describe("usage", () => {
  it("is listed as JSON and as CSV", async () => {
    const [method, path, body] = chat;
    await ask(method, path, { body });
    const { data } = await clientWith(FULL_KEY).GET("/v1/usage", {
      params: { query: { bucket_width: "1h", group_by: ["key", "model"], limit: 2 } },
    });
    expect(data).toMatchObject({ object: "page" });
    expect(JSON.stringify(data)).toContain('"model":"scripted"');
    const headers = { accept: "text/csv" };
    const csv = await ask("GET", "/v1/usage", { headers });
    expect(csv.headers.get("content-type")).toContain("text/csv");
  });

  it("requires a key, a valid query and a known API version", async () => {
    const missing = { "x-api-key": "" };
    expect((await ask("GET", "/v1/usage", { headers: missing })).status).toBe(401);
    expect((await ask("GET", "/v1/usage?bucket_width=1w")).status).toBe(400);
    const other = { "api-version": "v9" };
    expect((await ask("GET", "/v1/usage", { headers: other })).status).toBe(400);
  });

  it.each([
    new GgufdError("unsupported_operation", "It is not kept."),
    new GgufdError("storage_unavailable", "It cannot be read.", { retryAfterSeconds: 5 }),
    new Error("an internal error"),
  ])("cannot be read: %s", async (error) => {
    server.breakUsage(error);
    const status = error instanceof GgufdError ? error.status : 500;
    expect((await ask("GET", "/v1/usage")).status).toBe(status);
  });
});

const logins: readonly Call[] = [
  ["POST", "/v1/login/authorization", '{"redirect_uri":"https://llm.test/"}'],
  [
    "POST",
    "/v1/login/token",
    '{"code":"a","code_verifier":"b","nonce":"c","redirect_uri":"https://llm.test/"}',
  ],
  ["POST", "/v1/login/refresh", '{"refresh_token":"a"}'],
];

describe("the login", () => {
  const redirect_uri = "https://llm.test/";

  it("leads to the provider and to a token, which can be renewed", async () => {
    const { provider, client } = await startWithProvider();
    provider.refresh = "issued";
    expect((await client.GET("/v1/login")).data?.provider).toBe("login.test");
    const signIn = async () => {
      const begun = await client.POST("/v1/login/authorization", { body: { redirect_uri } });
      const { url = "", nonce = "", code_verifier = "" } = begun.data ?? {};
      const { headers } = await provider.fetch(url, { redirect: "manual" });
      const code = new URL(headers.get("location") ?? "").searchParams.get("code") ?? "";
      return client.POST("/v1/login/token", { body: { code, code_verifier, nonce, redirect_uri } });
    };
    const refresh_token = (await signIn()).data?.refresh_token ?? "";
    const renewed = await client.POST("/v1/login/refresh", { body: { refresh_token } });
    expect(renewed.data?.object).toBe("login.token");
    provider.misbehaviour = "other-nonce";
    expect((await signIn()).response.status).toBe(401);
    provider.misbehaviour = undefined;
    provider.user = { sub: "alice", aud: "another" };
    const next = renewed.data?.refresh_token ?? "";
    const refused = await client.POST("/v1/login/refresh", { body: { refresh_token: next } });
    expect(refused.response.status).toBe(401);
  });

  it("is unavailable while the provider is", async () => {
    const { provider, client } = await startWithProvider();
    provider.misbehaviour = "down";
    const token = { code: "a", code_verifier: "b", nonce: "c", redirect_uri };
    for (const { response } of [
      await client.POST("/v1/login/authorization", { body: { redirect_uri } }),
      await client.POST("/v1/login/token", { body: token }),
      await client.POST("/v1/login/refresh", { body: { refresh_token: "a" } }),
    ]) {
      expect(response.status).toBe(503);
    }
  });

  it.each(logins)(
    "is refused by a server without a provider: %s %s",
    async (method, path, body) => {
      expect((await ask(method, path, { body })).status).toBe(501);
      for (const wrong of ["{}", "{"]) {
        expect((await ask(method, path, { body: wrong })).status).toBe(400);
      }
      const version = { "api-version": "v9" };
      expect((await ask(method, path, { body, headers: version })).status).toBe(400);
      const headers = { "content-type": "text/plain" };
      expect((await ask(method, path, { headers, body: "a" })).status).toBe(415);
      const length = { "content-type": "application/json", "content-length": "99999999" };
      expect((await askWithHead(method, path, length)).status).toBe(413);
    },
  );

  it("has a version", async () => {
    const headers = { "api-version": "v9" };
    expect((await ask("GET", "/v1/login", { headers })).status).toBe(400);
  });
});

describe("client errors are described for", () => {
  it.each([...reads, ...inference, predictions, ...changes])(
    "a missing key: %s %s",
    async (method, path) => {
      expect((await ask(method, path, { headers: { "x-api-key": "" } })).status).toBe(401);
    },
  );

  it.each(inference)("a model that is not served: %s %s", async (method, path, body = "{}") => {
    const other = JSON.stringify({ ...JSON.parse(body), model: "gpt-5" });
    expect((await ask(method, path, { body: other })).status).toBe(404);
  });

  it.each([...inference, predictions, ...changes])(
    "a read-only key: %s %s",
    async (method, path, body) => {
      const headers = { "x-api-key": READ_ONLY_KEY };
      expect((await ask(method, path, { headers, body })).status).toBe(403);
    },
  );

  it.each([...reads, ...changes, ...inference, predictions])(
    "an unsupported API version: %s %s",
    async (method, path) => {
      expect((await ask(method, path, { headers: { "api-version": "v9" } })).status).toBe(400);
    },
  );

  it.each([...inference, predictions, ...changes, ...plainChanges])(
    "truncated JSON: %s %s",
    async (method, path) => {
      expect((await ask(method, path, { body: '{"title":' })).status).toBe(400);
    },
  );

  it.each([...inference, predictions, ...changes, ...plainChanges])(
    "an unsupported media type: %s %s",
    async (method, path) => {
      const headers = { "content-type": "text/plain" };
      expect((await ask(method, path, { headers, body: "milk" })).status).toBe(415);
    },
  );

  it.each([...inference, predictions, ...changes, ...plainChanges])(
    "a body that is too large: %s %s",
    async (method, path) => {
      const headers = { "content-type": "application/json", "content-length": "99999999" };
      expect((await askWithHead(method, path, headers)).status).toBe(413);
    },
  );

  const withBody = [...inference, predictions, ...changes, ...plainChanges].filter(
    ([method]) => method !== "DELETE",
  );

  it.each(withBody)(
    "an empty body and a body that is not an object: %s %s",
    async (method, path) => {
      for (const body of ["", "[]"]) {
        expect([400, 422]).toContain((await ask(method, path, { body })).status);
      }
    },
  );

  it.each([
    ['{"messages":[]}', "invalid_request"],
    ['{"messages":[{"role":"user","content":"say"}],"n":17}', "invalid_request"],
    [
      '{"messages":[{"role":"user","content":"say"}],"use_beam_search":true}',
      "unsupported_parameter",
    ],
    [`{"messages":[{"role":"user","content":"${"x".repeat(1000)}"}]}`, "context_length_exceeded"],
  ])("an invalid or unsupported chat completion: %.60s", async (body, code) => {
    const response = await ask("POST", "/v1/chat/completions", { body });
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it.each([
    ['{"prompt":[]}', "invalid_request"],
    ['{"prompt":"say","use_beam_search":true}', "unsupported_parameter"],
    [`{"prompt":"${"x".repeat(1000)}"}`, "context_length_exceeded"],
  ])("an invalid or unsupported completion: %.60s", async (body, code) => {
    const response = await ask("POST", "/v1/completions", { body });
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it.each([
    ["/v1/models?limit=0", "invalid_request"],
    ["/v1/models?cursor=invented", "invalid_cursor"],
    ["/v1/todos?cursor=invented", "INVALID_CURSOR"],
  ])("an invalid pagination parameter: %s", async (path, code) => {
    const response = await ask("GET", path);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  it.each([...todoReads, ...changes.slice(1)])(
    "a malformed precondition: %s %s",
    async (method, path, body) => {
      const headers = { [method === "GET" ? "if-none-match" : "if-match"]: "milk" };
      expect((await ask(method, path, { headers, body })).status).toBe(400);
    },
  );

  it.each(changes.slice(1))("a failed precondition: %s %s", async (method, path, body) => {
    const headers = { "if-none-match": "*" };
    expect((await ask(method, path, { headers, body })).status).toBe(409);
  });

  it("a path that cannot be decoded", async () => {
    for (const path of ["/v1/models/%E0%A4%A", "/v1/todos/%E0%A4%A", "/docs/%E0%A4%A"]) {
      expect((await ask("GET", path)).status).toBe(400);
    }
  });

  const everywhere = Object.entries(servedDocument().paths as Record<string, object>).flatMap(
    ([template, item]) =>
      Object.keys(item).map((method) => [
        method.toUpperCase(),
        template.replace("{id}", "1").replace("{file}", "page.css"),
      ]),
  );

  it.each(everywhere)("headers that are too large: %s %s", async (method = "", path = "") => {
    // Just above the limit of 16 KiB: closing with more unread data would reset the connection.
    const response = await askWithHead(method, path, { "x-much": "x".repeat(16_500) });
    expect(response.status).toBe(431);
  });
});

describe("server errors are described for", () => {
  const full = new GgufdError("storage_full", "The disk is full.");
  const unavailable = new GgufdError("storage_unavailable", "It is read-only.", {
    retryAfterSeconds: 5,
  });
  const busy = new GgufdError("too_many_changes", "Too many.", { retryAfterSeconds: 1 });
  const ending = new GgufdError("shutting_down", "It ends.", { retryAfterSeconds: 5 });
  const noModel = [
    ending,
    new GgufdError("model_loading", "It is loading.", { retryAfterSeconds: 2 }),
    new GgufdError("model_unavailable", "There is none."),
  ];
  const overload = new GgufdError("server_overloaded", "Too many.", { retryAfterSeconds: 4 });

  describe.each([full, unavailable, busy, ending, new Error("an internal error")])(
    "%s in",
    (fault) => {
      it.each([...changes, ...plainChanges])("%s %s", async (method, path, body) => {
        server.breakTodos(fault);
        const { status } = await ask(method, path, { body });
        expect(status).toBe(fault instanceof GgufdError ? fault.status : 500);
      });
    },
  );

  it.each([full, unavailable, busy, ending, new Error("an internal error")])(
    "changes of conversations: %s",
    async (fault) => {
      const items = '{"items":[{"role":"user","content":"say","id":"msg_1"}]}';
      const [id] = await idsIn(await ask("POST", "/v1/conversations", { body: items }));
      server.breakConversations(fault);
      for (const [method, path, body] of [newConversation, ...storedChanges.slice(2)]) {
        const there = path.replace("conversations/none", `conversations/${id}`);
        const { status } = await ask(method, there.replace("items/none", "items/msg_1"), { body });
        expect([there, status]).toEqual([there, fault instanceof GgufdError ? fault.status : 500]);
      }
    },
  );

  it("a conversation that exceeds the quota of its key", async () => {
    const items = (...texts: readonly string[]) =>
      JSON.stringify({ items: texts.map((content) => ({ role: "user", content })) });
    const [half, whole] = ["x".repeat(0.6 * QUOTA_BYTES), "x".repeat(QUOTA_BYTES)];
    const refused = await ask("POST", "/v1/conversations", { body: items(whole) });
    const created = await ask("POST", "/v1/conversations", { body: items(half) });
    const { id } = (await created.json()) as { id: string };
    const added = await ask("POST", `/v1/conversations/${id}/items`, { body: items(half) });
    const body = JSON.stringify({ conversation: id, input: half });
    const answered = await ask("POST", "/v1/responses", { body });
    expect([refused.status, added.status, answered.status]).toEqual([507, 507, 507]);
  });

  it.each([...todoReads, ...plainReads])(
    "an internal error of the to-dos: %s %s",
    async (method, path) => {
      server.breakTodos(new Error("an internal error"));
      expect((await ask(method, path)).status).toBe(500);
    },
  );

  it.each(modelReads)("an unavailable model: %s %s", async (method, path) => {
    for (const fault of noModel) {
      server.breakModels(fault);
      expect((await ask(method, path)).status).toBe(503);
    }
  });

  describe.each(noModel)("inference without a model: %s", (fault) => {
    it.each(inference)("%s %s", async (method, path, body) => {
      server.breakModels(fault);
      expect((await ask(method, path, { body })).status).toBe(fault.status);
    });
  });

  it.each([
    { call: chat, status: 503 },
    { call: textCompletion, status: 503 },
    { call: infill, status: 503 },
    ...native.map((call) => ({ call, status: 503 })),
    { call: message, status: 529 },
    { call: response, status: 503 },
    ...pooling.map((call) => ({ call, status: 503 })),
  ])("overload: $call.0 $call.1", async ({ call: [method, path, body], status }) => {
    server.breakModels(overload);
    expect((await ask(method, path, { body })).status).toBe(status);
  });

  it("a chat template that rejects the messages", async () => {
    const [method, path, body] = chat;
    server.breakModels(new GgufdError("chat_template_error", "The template refuses."));
    expect((await ask(method, path, { body })).status).toBe(400);
  });

  it.each([...modelReads, ...inference])(
    "an internal error of the models: %s %s",
    async (method, path, body) => {
      server.breakModels(new Error("an internal error"));
      expect((await ask(method, path, { body })).status).toBe(500);
    },
  );
});

describe("Ollama's routes", () => {
  const bodyOf = (content: string, fields: object = {}) =>
    JSON.stringify({ messages: [{ role: "user", content }], prompt: content, ...fields });
  const answering = ["/api/chat", "/api/generate"];
  const embedding = ["/api/embed", "/api/embeddings"];
  const posts = [...answering, ...embedding, "/api/show"];
  const lists = ["/api/tags", "/api/ps"];
  const refusals = ["/api/push", "/api/blobs/sha256:00"];
  /** Calls that change the list of models, in an order in which each call succeeds. */
  const changing: readonly Call[] = [
    ["POST", "/api/pull", '{"model":"llama3"}'],
    ["POST", "/api/copy", '{"source":"scripted","destination":"copied"}'],
    ["POST", "/api/create", '{"model":"made","from":"copied"}'],
    ["DELETE", "/api/delete", '{"model":"copied"}'],
  ];

  describe.each(answering)("%s", (path) => {
    it.each(["say", "think", "call", "break off"])(
      "streams an answer as JSON lines: %s",
      async (content) => {
        const response = await ask("POST", path, { body: bodyOf(content) });
        expect(response.status).toBe(200);
      },
    );

    it.each(["say", "think", "call"])(
      "returns an answer without streaming: %s",
      async (content) => {
        const response = await ask("POST", path, { body: bodyOf(content, { stream: false }) });
        expect(await response.json()).toMatchObject({ done: true });
      },
    );

    it.each([
      { options: { temperature: "hot" } },
      { options: { tfs_z: 0.5 } },
      { messages: [{ role: "user", content: "x".repeat(1000) }], prompt: "x".repeat(1000) },
    ])("rejects %.60j", async (fields) => {
      expect((await ask("POST", path, { body: bodyOf("say", fields) })).status).toBe(400);
    });

    it("reports overload", async () => {
      server.breakModels(
        new GgufdError("server_overloaded", "Too many.", { retryAfterSeconds: 4 }),
      );
      expect((await ask("POST", path, { body: bodyOf("say") })).status).toBe(503);
    });
  });

  describe.each(embedding)("%s", (path) => {
    it("returns embeddings", async () => {
      for (const text of ["say", ""]) {
        const body = JSON.stringify({ input: text, prompt: text });
        expect((await ask("POST", path, { body })).status).toBe(200);
      }
    });

    it.each([
      { input: 7, prompt: 7 },
      { input: "say", prompt: "say", model: "scripted" },
    ])("rejects %j", async (fields) => {
      expect((await ask("POST", path, { body: JSON.stringify(fields) })).status).toBe(400);
    });

    it("reports overload", async () => {
      server.breakModels(
        new GgufdError("server_overloaded", "Too many.", { retryAfterSeconds: 4 }),
      );
      expect((await ask("POST", path, { body: bodyOf("say") })).status).toBe(503);
    });
  });

  it.each([...lists, "/api/version"])("require a key for reading: %s", async (path) => {
    expect((await ask("GET", path, { headers: { "x-api-key": READ_ONLY_KEY } })).status).toBe(200);
    expect((await ask("GET", path, { headers: { "x-api-key": "" } })).status).toBe(401);
  });

  it("describe a model", async () => {
    expect((await ask("POST", "/api/show", { body: "{}" })).status).toBe(200);
  });

  it.each(posts)("reject an invalid request: POST %s", async (path) => {
    const withKey = (key: string) => ({ headers: { "x-api-key": key }, body: "{}" });
    expect((await ask("POST", path, withKey(""))).status).toBe(401);
    expect((await ask("POST", path, withKey(READ_ONLY_KEY))).status).toBe(403);
    for (const body of ["", "[]", '{"model":']) {
      expect((await ask("POST", path, { body })).status).toBe(400);
    }
    expect((await ask("POST", path, { body: bodyOf("say", { model: "gpt-5" }) })).status).toBe(404);
    const large = { "content-type": "application/json", "content-length": "99999999" };
    expect((await askWithHead("POST", path, large)).status).toBe(413);
    const unreadable = { headers: { "content-type": "json" }, body: "{}" };
    expect((await ask("POST", path, unreadable)).status).toBe(415);
  });

  it.each([...posts.map((path) => ["POST", path]), ...lists.map((path) => ["GET", path])])(
    "report a server error: %s %s",
    async (method = "", path = "") => {
      const body = method === "POST" ? bodyOf("say") : undefined;
      server.breakModels(new Error("an internal error"));
      expect((await ask(method, path, { body })).status).toBe(500);
      const retryAfterSeconds = 2;
      server.breakModels(new GgufdError("model_loading", "Wait.", { retryAfterSeconds }));
      expect((await ask(method, path, { body })).status).toBe(503);
    },
  );

  it.each(changing)("add and remove models: %s %s", async (method, path, body) => {
    expect((await ask(method, path, { body })).status).toBe(200);
  });

  it.each(["/api/pull", "/api/create"])(
    "return a single object without streaming: POST %s",
    async (path) => {
      const body = '{"model":"made","from":"scripted","stream":false}';
      expect(await (await ask("POST", path, { body })).json()).toEqual({ status: "success" });
    },
  );

  it.each(changing)("reject an invalid change of the models: %s %s", async (method, path, body) => {
    const withKey = (key: string) => ({ headers: { "x-api-key": key }, body });
    expect((await ask(method, path, withKey(""))).status).toBe(401);
    expect((await ask(method, path, withKey(READ_ONLY_KEY))).status).toBe(403);
    expect((await ask(method, path, withKey(TODOS_KEY))).status).toBe(403);
    for (const wrong of ["", "[]", '{"model":', '{"model":"/a","source":"/a"}']) {
      expect((await ask(method, path, { body: wrong })).status).toBe(400);
    }
    const large = { "content-type": "application/json", "content-length": "99999999" };
    expect((await askWithHead(method, path, large)).status).toBe(413);
    const unreadable = { headers: { "content-type": "json" }, body: "{}" };
    expect((await ask(method, path, unreadable)).status).toBe(415);
  });

  describe.each(changing)(
    "report why a change of the models failed: %s %s",
    (method, path, body) => {
      const codes = [
        "model_not_found",
        "unsupported_operation",
        "storage_full",
        "storage_unavailable",
        "shutting_down",
        ...(path === "/api/pull" ? (["pull_failed"] as const) : (["model_in_use"] as const)),
      ] as const;

      it.each(codes)("%s", async (code) => {
        const fault = new GgufdError(code, "It cannot be done.", { retryAfterSeconds: 5 });
        server.breakModels(fault);
        expect((await ask(method, path, { body })).status).toBe(fault.status);
      });

      it("an internal error", async () => {
        server.breakModels(new Error("an internal error"));
        expect((await ask(method, path, { body })).status).toBe(500);
      });
    },
  );

  it.each(refusals)("are unsupported, but require a full-access key: POST %s", async (path) => {
    expect((await ask("POST", path, { body: "{}" })).status).toBe(501);
    const withKey = (key: string) => ({ headers: { "x-api-key": key }, body: "{}" });
    expect((await ask("POST", path, withKey(""))).status).toBe(401);
    expect((await ask("POST", path, withKey(READ_ONLY_KEY))).status).toBe(403);
  });

  it("reject a path that cannot be decoded", async () => {
    expect((await ask("POST", "/api/blobs/%E0%A4%A")).status).toBe(400);
  });
});

describe("POST /v1/chat/completions/control", () => {
  const path = "/v1/chat/completions/control";
  const control = (id: string, action = "reasoning_end") =>
    ask("POST", path, { body: JSON.stringify({ id, action }) });

  it("ends the reasoning of a running completion", async () => {
    const body =
      '{"stream":true,"reasoning_control":true,"messages":[{"role":"user","content":"ponder"}]}';
    const gone = new AbortController();
    const sent = await fetch(`${server.url}${chat[1]}`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": FULL_KEY },
      body,
      signal: gone.signal,
    });
    const { value } = (await sent.body?.getReader().read()) ?? {};
    const [, id = ""] = /"id":"([^"]+)"/.exec(Buffer.from(value ?? []).toString()) ?? [];
    expect((await control(id)).status).toBe(200);
    gone.abort();
  });

  it("rejects invalid requests and keys", async () => {
    expect((await control("chatcmpl-1")).status).toBe(404);
    expect((await control("chatcmpl-1", "stop")).status).toBe(400);
    expect((await ask("POST", path, { body: "{" })).status).toBe(400);
    const otherVersion = { headers: { "accept-version": "v9" } };
    expect((await ask("POST", path, otherVersion)).status).toBe(400);
    expect((await ask("POST", path, { headers: { "x-api-key": "" } })).status).toBe(401);
    const readOnly = { headers: { "x-api-key": READ_ONLY_KEY } };
    expect((await ask("POST", path, readOnly)).status).toBe(403);
    const large = { "content-type": "application/json", "content-length": "99999999" };
    expect((await askWithHead("POST", path, large)).status).toBe(413);
    const plain = { headers: { "content-type": "text/plain" }, body: "chatcmpl-1" };
    expect((await ask("POST", path, plain)).status).toBe(415);
  });
});

describe("streams that continue without their client", () => {
  const read = ["GET", "/v1/stream?conv_id=chat-1"] as const;
  const stop = ["DELETE", "/v1/stream?conv_id=chat-1"] as const;
  const lookUp = ["POST", "/v1/streams/lookup"] as const;
  const withKey = (key: string) => ({ headers: { "x-api-key": key } });

  it("are read, found and stopped", async () => {
    const body = '{"stream":true,"messages":[{"role":"user","content":"say"}]}';
    const headers = { "x-conversation-id": "chat-1" };
    const sent = await (await ask("POST", chat[1], { headers, body })).text();
    expect(await (await ask(...read)).text()).toBe(sent);
    const ids = '{"conversation_ids":["chat-1"]}';
    expect(await (await ask(...lookUp, { body: ids })).json()).toHaveLength(1);
    expect((await ask(...stop)).status).toBe(204);
    expect((await ask(...read)).status).toBe(404);
  });

  it.each([read, stop, lookUp])("reject invalid requests and keys: %s %s", async (method, path) => {
    expect((await ask(method, path, withKey(""))).status).toBe(401);
    const invalid = method === "POST" ? path : path.replace("chat-1", "");
    expect((await ask(method, invalid, method === "POST" ? { body: "{}" } : {})).status).toBe(400);
    const otherVersion = { headers: { "accept-version": "v9" } };
    expect((await ask(method, path, otherVersion)).status).toBe(400);
    if (method === "GET") return;
    expect((await ask(method, path, { body: "{" })).status).toBe(400);
    expect((await ask(method, path, withKey(READ_ONLY_KEY))).status).toBe(403);
    const large = { "content-type": "application/json", "content-length": "99999999" };
    expect((await askWithHead(method, path, large)).status).toBe(413);
    const plain = { headers: { "content-type": "text/plain" }, body: "chat-1" };
    expect((await ask(method, path, plain)).status).toBe(415);
  });
});

describe("operations that require a key", () => {
  const operations = answers
    .operationsWith(401)
    .filter(({ path }) => !path.startsWith("/v1/login"))
    .map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, "1")] as const);

  /** The key is checked before the body. */
  const askWith = (key: string, method: string, path: string) =>
    describedFetch(new Request(`${server.url}${path}`, { method, headers: { "x-api-key": key } }));

  it("reject a key that has reached its rate limit", async () => {
    await askWith(LIMITED_KEY, "GET", "/v1/models");
    for (const [method, path] of operations) {
      const { status, headers } = await askWith(LIMITED_KEY, method, path);
      expect([method, path, status]).toEqual([method, path, 429]);
      expect(headers.get("retry-after")).toMatch(/^([1-9]|[1-5]\d|60)$/);
    }
  });

  it("reject a token while the identity provider is down", async () => {
    for (const [method, path] of operations) {
      const { status } = await askWith(UNVERIFIABLE_TOKEN, method, path);
      expect([method, path, status]).toEqual([method, path, 503]);
    }
  });

  it("reject a key whose budget is used up", async () => {
    const [method, path, body] = chat;
    await (await ask(method, path, { body, headers: { "x-api-key": SPENT_KEY } })).text();
    for (const operation of answers.operationsWithError("insufficient_quota")) {
      const { status } = await askWith(
        SPENT_KEY,
        operation.method,
        operation.path.replaceAll(/\{\w+\}/g, "1"),
      );
      expect([operation.path, status]).toEqual([operation.path, 429]);
    }
  });

  it("reject a key without the required scope", async () => {
    for (const { method, path } of answers.operationsWith(403)) {
      const isOperators = OPERATOR_PATHS.includes(path) || path === "/lora-adapters";
      const key = isOperators ? TODOS_KEY : METRICS_KEY;
      const { status } = await askWith(key, method, path.replaceAll(/\{\w+\}/g, "1"));
      expect([method, path, status]).toEqual([method, path, 403]);
    }
  });
});

describe("operations with large bodies", () => {
  it("are rejected while other requests use all body memory", async () => {
    const giveBack = await server.takeMemory();
    const operations = [...answers.operationsWith(503), ...answers.operationsWith(529)];
    const large = { "content-type": "application/json", "content-length": "300000" };
    for (const { method, path } of operations.filter(({ method }) => method !== "GET")) {
      const { status } = await askWithHead(method, path.replaceAll(/\{\w+\}/g, "1"), large);
      // Bodies of some to-do routes have a lower limit, forms have another type, and operations
      // that are not implemented read no body.
      expect([503, 529, 413, 415, 501], `${method} ${path}`).toContain(status);
    }
    giveBack();
  });
});

describe("stored models", () => {
  const named = '{"model":"stored"}';
  const load: Call = ["POST", "/v1/models/load", named];
  const unload: Call = ["POST", "/v1/models/unload", named];
  const download: Call = ["POST", "/v1/models", named];
  const remove: Call = ["DELETE", "/v1/models?model=stored"];
  const follow: Call = ["GET", "/v1/models/sse"];
  const search: Call = ["GET", "/v1/models/search?query=b"];
  const all = [load, unload, download, remove, follow, search];
  const statusOf = async ([method, path, body]: Call, key = METRICS_KEY) =>
    (await ask(method, path, { headers: { "x-api-key": key }, body })).status;

  it("are loaded, unloaded, downloaded and removed", async () => {
    server.library.add(storedModel("stored"));
    for (const call of [load, unload, download, unload, remove]) {
      expect([call, await statusOf(call)]).toEqual([call, 200]);
    }
    for (const call of [load, unload, remove]) expect(await statusOf(call)).toBe(404);
  });

  it("are listed during a download and after a failed load", async () => {
    const { library } = server;
    library.add(storedModel("stored"));
    await statusOf(load);
    library.failLoad("stored", new GgufdError("model_unavailable", "It is broken."));
    await statusOf(["POST", "/v1/models", '{"model":"hf:a/b"}']);
    const files = [
      { path: "hf/a/b.gguf", role: "model", sizeBytes: 10, sha256: undefined } as const,
    ];
    library.scriptedPulls.at(-1)?.emit({ type: "resolved", name: "hf:a/b", files });
    const list = await (await ask("GET", "/v1/models")).text();
    expect(list).toContain('"failed":true');
    expect(list).toContain('"progress":{"hf/a/b.gguf"');
  });

  it("are found on the hub", async () => {
    const unstated = {
      ...{ license: undefined, isGated: false, task: undefined, architecture: undefined },
      ...{ parameters: undefined, trainContextSize: undefined, quantizations: undefined },
    };
    server.library.hub = {
      hub: "https://hub.example",
      budget: { cpuBytes: 6e9, gpuBytes: 1e9 },
      repositories: [
        {
          ...{ name: "a/b-GGUF", downloads: 12, likes: 3, license: "mit", isGated: true },
          ...{ task: "text-generation", architecture: "llama", parameters: 8e9 },
          trainContextSize: 8192,
          quantizations: [
            { pullName: "hf:a/b-GGUF:Q4_K_M", label: "Q4_K_M", sizeBytes: 6e9, hasProjector: true },
          ],
        },
        { ...unstated, name: "c/d", downloads: 1, likes: 0 },
      ],
    };
    const found = await (await ask("GET", search[1])).json();
    expect(found).toMatchObject({ data: [{ id: "a/b-GGUF" }, { id: "c/d" }] });
    const unnamed = await ask("GET", "/v1/models/search");
    expect(await unnamed.json()).toMatchObject({ error: { code: "invalid_request" } });
  });

  it.each(all)("require an operator's key and a known API version: %s %s", async (...call) => {
    expect(await statusOf(call, "")).toBe(401);
    const [method, path, body] = call;
    const other = { "api-version": "v9" };
    expect((await ask(method, path, { headers: other, body })).status).toBe(400);
  });

  it.each([load, unload, download, remove])(
    "are not changed by a read-only key or an invalid request: %s %s",
    async (...call) => {
      expect(await statusOf(call, READ_ONLY_KEY)).toBe(403);
      const [method, path] = call;
      expect((await ask(method, path, { body: '{"model":' })).status).toBe(400);
      const plain = { "content-type": "text/plain" };
      expect((await ask(method, path, { headers: plain, body: "stored" })).status).toBe(415);
      const large = { "content-type": "application/json", "content-length": "99999999" };
      expect((await askWithHead(method, path, large)).status).toBe(413);
      const unnamed = await ask(method, path.replace(/\?.*/, ""), { body: '{"model":"/etc"}' });
      expect(await unnamed.json()).toMatchObject({ error: { code: "invalid_request" } });
    },
  );

  it.each([
    [load, ["model_loading", "model_unavailable", "shutting_down", "server_overloaded"]],
    [unload, ["model_loading", "model_unavailable", "shutting_down"]],
    [download, ["unsupported_operation"]],
    [search, ["unsupported_operation", "pull_failed"]],
    [
      remove,
      [
        ...["model_loading", "model_unavailable", "shutting_down", "storage_unavailable"],
        ...["unsupported_operation", "model_in_use"],
      ],
    ],
  ] as const)("report why an operation failed: %j", async (call, codes) => {
    for (const code of codes) {
      const fault = new GgufdError(code, "It cannot be done.", { retryAfterSeconds: 2 });
      server.breakModels(fault);
      expect([code, await statusOf(call)]).toEqual([code, fault.status]);
    }
    server.breakModels(new Error("an internal error"));
    expect(await statusOf(call)).toBe(500);
  });
});

describe("MCP servers", () => {
  const path = "/v1/mcp/servers";

  it("are listed with their tools, or with the reason why they have none", async () => {
    const connected = new ScriptedToolServer({ read: async () => ({}) });
    const disconnected = new ScriptedToolServer(
      {},
      { name: "clock", transport: "stdio", command: "clock", args: [] },
    );
    disconnected.state = "disconnected";
    disconnected.error = "The command `clock` does not exist.";
    const options = { toolServers: toolServers(connected, disconnected) };
    const list = await (await askAppWith(options, path)).json();
    expect(list).toMatchObject({
      data: [{ tools: [{ name: "read" }] }, { error: disconnected.error, tools: [] }],
    });
  });

  it("are listed for a key with the scope tools and a known API version", async () => {
    expect((await ask("GET", path)).status).toBe(200);
    expect((await ask("GET", path, { headers: { "x-api-key": "" } })).status).toBe(401);
    expect((await ask("GET", path, { headers: { "x-api-key": METRICS_KEY } })).status).toBe(403);
    expect((await ask("GET", path, { headers: { "api-version": "v9" } })).status).toBe(400);
  });
});

describe("the slots", () => {
  const withKey = (key: string) => ({ headers: { "x-api-key": key } });

  it("are listed for an operator's key", async () => {
    expect((await ask("GET", "/slots", withKey(METRICS_KEY))).status).toBe(200);
    expect((await ask("GET", "/slots", withKey(""))).status).toBe(401);
    expect((await ask("GET", "/slots?model=gpt-5", withKey(METRICS_KEY))).status).toBe(404);
    expect((await ask("GET", "/slots?model=", withKey(METRICS_KEY))).status).toBe(400);
    server.breakModels(new GgufdError("unsupported_operation", "It is disabled."));
    expect((await ask("GET", "/slots", withKey(METRICS_KEY))).status).toBe(501);
  });

  it("are saved, restored and erased with an operator's key", async () => {
    const command = (slot: string, action: string, filename?: string, key = METRICS_KEY) =>
      ask("POST", `/slots/${slot}?action=${action}`, {
        ...withKey(key),
        ...(filename !== undefined && { body: JSON.stringify({ filename }) }),
      });
    for (const action of ["save", "restore"]) {
      expect((await command("0", action, "manual")).status).toBe(200);
      expect((await command("0", action, "../x")).status).toBe(400);
      expect((await command("0", action)).status).toBe(400);
    }
    expect((await command("0", "erase")).status).toBe(200);
    expect((await command("x", "erase")).status).toBe(400);
    expect((await command("0", "forget")).status).toBe(400);
    expect((await command("0", "erase", undefined, "")).status).toBe(401);
    const statuses: Readonly<Record<string, number>> = {
      missing: 404,
      anywhere: 501,
      large: 503,
      full: 503,
    };
    for (const [name, status] of Object.entries(statuses)) {
      expect((await command("0", "restore", name)).status).toBe(status);
    }
    expect((await command("0&model=gpt-5", "erase")).status).toBe(400);
    const options = withKey(METRICS_KEY);
    const url = "/slots/0?action=erase&model=gpt-5";
    expect((await ask("POST", url, options)).status).toBe(404);
    const broken = { ...options, body: "{" };
    expect((await ask("POST", "/slots/0?action=save", broken)).status).toBe(400);
    const large = { ...options, body: JSON.stringify("x".repeat(5_000_000)) };
    expect((await ask("POST", "/slots/0?action=save", large)).status).toBe(413);
    const plain = { ...withKey(METRICS_KEY).headers, "content-type": "text/plain" };
    const typed = { headers: plain, body: "manual" };
    expect((await ask("POST", "/slots/0?action=save", typed)).status).toBe(415);
  });

  it("are unavailable without a model", async () => {
    const calls: readonly Call[] = [
      ["GET", "/slots"],
      ["POST", "/slots/0?action=erase"],
    ];
    for (const [method, path] of calls) {
      for (const code of ["model_loading", "model_unavailable", "shutting_down"] as const) {
        server.breakModels(new GgufdError(code, "There is none.", { retryAfterSeconds: 2 }));
        expect((await ask(method, path)).status).toBe(503);
      }
      server.breakModels(new Error("an internal error"));
      expect((await ask(method, path)).status).toBe(500);
    }
  });
});

describe("LoRA adapters", () => {
  const load = (fields: object) =>
    JSON.stringify({ lora_name: "new", lora_path: "new.gguf", ...fields });
  const loading: Call = ["POST", "/v1/load_lora_adapter", load({})];
  const unloading: Call = ["POST", "/v1/unload_lora_adapter", '{"lora_name":"sql"}'];
  const setting: Call = ["POST", "/lora-adapters", '[{"id":0,"scale":0.5}]'];
  const changing = [loading, setting, unloading];

  it("are listed, and can be selected like models", async () => {
    expect((await ask("GET", "/lora-adapters")).status).toBe(200);
    expect((await ask("GET", "/lora-adapters?model=")).status).toBe(400);
    expect((await ask("GET", "/lora-adapters?model=gpt-5")).status).toBe(404);
    expect((await ask("GET", "/lora-adapters", { headers: { "x-api-key": "" } })).status).toBe(401);
    expect(await (await ask("GET", "/v1/models/sql")).json()).toMatchObject({ parent: "scripted" });
  });

  it.each(changing)("reject an invalid change: %s %s", async (method, path, body) => {
    const withKey = (key: string) => ({ headers: { "x-api-key": key }, body });
    expect((await ask(method, path, withKey(""))).status).toBe(401);
    expect((await ask(method, path, withKey(READ_ONLY_KEY))).status).toBe(403);
    for (const wrong of ["", "7", "{", '[{"id":7}]']) {
      expect((await ask(method, path, { body: wrong })).status).toBe(400);
    }
    const large = { "content-type": "application/json", "content-length": "99999999" };
    expect((await askWithHead(method, path, large)).status).toBe(413);
    const plain = { headers: { "content-type": "text/plain" }, body: "new" };
    expect((await ask(method, path, plain)).status).toBe(415);
    const version = { headers: { "api-version": "v9" }, body };
    if (path.startsWith("/v1/")) expect((await ask(method, path, version)).status).toBe(400);
  });

  it.each([["GET", "/lora-adapters"] as Call, ...changing])(
    "are unavailable without a model: %s %s",
    async (method, path, body) => {
      for (const code of ["model_loading", "model_unavailable", "shutting_down"] as const) {
        server.breakModels(new GgufdError(code, "There is none.", { retryAfterSeconds: 2 }));
        expect((await ask(method, path, { body })).status).toBe(503);
      }
      server.breakModels(new Error("an internal error"));
      expect((await ask(method, path, { body })).status).toBe(500);
    },
  );

  it("report why a change failed", async () => {
    const statusOf = async ([method, path]: Call, body: string) =>
      (await ask(method, path, { body })).status;
    expect(await statusOf(loading, load({ lora_name: "sql" }))).toBe(400);
    expect(await statusOf(loading, load({ base_model_name: "gpt-5" }))).toBe(404);
    expect(await statusOf(loading, load({ lora_name: "full" }))).toBe(503);
    expect(
      await statusOf(loading, '{"lora_name":"x","lora_path":"new.gguf","base_model_name":7}'),
    ).toBe(400);
    expect(await statusOf(unloading, '{"lora_name":"none"}')).toBe(404);
    expect(await statusOf(unloading, '{"lora_name":"off"}')).toBe(501);
    expect(await statusOf(["POST", "/lora-adapters?model=gpt-5"], "[]")).toBe(404);
  });

  it("report that loading adapters is disabled", async () => {
    server.breakModels(new GgufdError("unsupported_operation", "None is."));
    const [method, path, body] = loading;
    expect((await ask(method, path, { body })).status).toBe(501);
  });

  it.each(changing)("are changed: %s %s", async (method, path, body) => {
    expect((await ask(method, path, { body })).status).toBe(200);
  });
});

describe("GET /metrics", () => {
  const metrics = (headers: Record<string, string>) =>
    describedFetch(new Request(`${server.url}/metrics`, { headers }));

  it("requires a key with its scope", async () => {
    expect((await metrics({ "x-api-key": METRICS_KEY })).status).toBe(200);
    expect((await metrics({})).status).toBe(401);
  });
});

describe("a draining server", () => {
  it("ends streams of model events", async () => {
    const { library } = server;
    const before = library.followers;
    const told = ask("GET", "/v1/models/sse");
    await eventually(() => expect(library.followers).toBe(before + 1));
    library.add(storedModel("followed"));
    library.setState("followed", { state: "loading", progress: 0.5 });
    library.setState("followed", { state: "absent" });
    library.tell({ type: "removed", model: "followed" });
    library.beginPull("hf:a/b");
    library.scriptedPulls.at(-1)?.emit({
      ...{ type: "progress", path: "hf/a/b.gguf" },
      ...{ completedBytes: 5, totalBytes: 10 },
    });
    library.tell({ type: "pull-failed", name: "hf:a/b", reason: "The hub does not answer." });
    library.tell({ type: "listed-anew" });
    // The stream does not end before it has been notified.
    await setImmediate();
    server.drain();
    expect(await (await told).text()).toContain('"model":"*"');
  });

  it("reports in health checks that it is shutting down", async () => {
    server.drain();
    const client = clientWith(FULL_KEY);
    for (const { error } of [await client.GET("/health"), await client.GET("/health/ready")]) {
      expect(error).toMatchObject({ status: "shutting down" });
    }
  });
});

describe("the API description", () => {
  it("contains only responses observed in the tests above", () => {
    expect(answers.unseen).toEqual([]);
  });
});
