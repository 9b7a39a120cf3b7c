import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import type { ApiDocument } from "../../src/api/description/document.js";
import {
  createRepresentations,
  printDescription,
} from "../../src/api/description/printed-description.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { buildTestApp, type TestAppOptions } from "../support/test-app.js";

function appUnder(pathPrefix: string, options: TestAppOptions = {}): FastifyInstance {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
  return buildTestApp(engine, { todos: storeInMemory(), pathPrefix, ...options }).app;
}

/** Folder with a page. */
function pageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-page-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "index.html"), "<!doctype html>");
  writeFileSync(join(folder, "index.js"), "export {};");
  return folder;
}

test.each([
  "/health",
  "/metrics",
  "/v1/models",
  "/v1/models/",
  "//v1//models",
  "/models",
  "/v1/health",
  "/docs",
  "/docs/page.css",
  "/page/index.js",
  "/api/todos?completed=true",
])("%s is served under the prefix only", async (path) => {
  const app = appUnder("/a/llm", { page: pageFolder() });
  const [inside, outside] = [await app.inject(`/a/llm${path}`), await app.inject(path)];
  expect(inside.statusCode).toBe(200);
  expect(outside.statusCode).toBe(404);
  const at = path.replaceAll("//", "/").split("?")[0];
  expect(outside.json()).toMatchObject({
    error: {
      code: "not_found",
      message: `There is nothing at GET ${at}. GET /a/llm/docs describes all paths.`,
    },
  });
});

test.each(["/llmx/health", "/", "/ll", "/v1/llm/health"])(
  "%s is not under the prefix /llm",
  async (path) => {
    expect((await appUnder("/llm").inject(path)).statusCode).toBe(404);
  },
);

test("requests outside the prefix are no requests of a route", async () => {
  const app = appUnder("/llm");
  await app.inject("/v1/models");
  const { body } = await app.inject("/llm/metrics");
  expect(body).not.toContain('route="/v1/models"');
});

test("the prefix itself leads to the page, whose files are relative to it", async () => {
  const app = appUnder("/llm", { page: pageFolder() });
  const { statusCode, headers } = await app.inject("/llm");
  expect([statusCode, headers.location]).toEqual([308, "/llm/"]);
  const page = await app.inject({ url: "/llm/", headers: { accept: "text/html" } });
  expect(page.body).toBe("<!doctype html>");
});

test("a generation, an error and a created item are those of a server without a prefix", async () => {
  const app = appUnder("/llm");
  const post = (url: string, payload: object) => app.inject({ method: "POST", url, payload });
  const messages = [{ role: "user", content: "Hi" }];
  const answer = await post("/llm/v1/chat/completions", { messages });
  expect(answer.json().choices[0].message.content).toBe("ok");
  expect((await post("/llm/v1/messages", { messages: 1 })).json()).toMatchObject({ type: "error" });
  const created = await post("/llm/v1/todos", { title: "tea" });
  expect(created.headers.location).toBe("/llm/v1/todos/1");
  expect((await app.inject(String(created.headers.location))).json()).toMatchObject({ id: 1 });
});

test("requests that a request contains are answered", async () => {
  const answer = await appUnder("/llm").inject({
    method: "POST",
    url: "/llm/predict",
    payload: {
      instances: [
        { "@requestFormat": "chatCompletions", messages: [{ role: "user", content: "Hi" }] },
      ],
    },
  });
  expect(answer.json().predictions[0].choices[0].message.content).toBe("ok");
});

test("links lead to paths under the prefix", async () => {
  const app = appUnder("/llm", {
    deprecate: ["/todos 2026-12-01 2027-12-01 /v1/todos"],
  });
  expect((await app.inject("/llm/todos")).headers.link).toBe(
    '</llm/v1/todos>; rel="successor-version"',
  );
  expect((await app.inject("/llm/")).json()).toMatchObject({
    models: "/llm/v1/models",
    health: "/llm/health",
    openapi: "/llm/openapi.json",
    docs: "/llm/docs",
  });
  expect((await app.inject("/llm/docs")).body).toContain('href="/llm/docs/swagger-ui.css"');
  expect((await app.inject("/llm/docs/initialiser.js")).body).toContain('url: "/llm/openapi.json"');
});

test.each(["json", "yaml"] as const)("the description as %s names the prefix", async (format) => {
  const document = {
    ...{ openapi: "3.1.1", info: { title: "test", version: "1" } },
    ...{ servers: [{ url: "/" }], externalDocs: { url: "/" } },
  } as const;
  const printed = async () =>
    Buffer.from(printDescription(document as unknown as ApiDocument, format));
  const { text } = await createRepresentations(printed, "/llm")(format);
  expect(parse(text.toString())).toEqual({ ...document, servers: [{ url: "/llm" }] });
});

test("other hosts are refused under the prefix and outside it", async () => {
  const app = appUnder("/llm");
  for (const url of ["/llm/v1/models", "/v1/models", "/llm"]) {
    const { statusCode } = await app.inject({ url, headers: { host: "evil.example" } });
    expect(statusCode).toBe(403);
  }
});

test("keys are required under the prefix", async () => {
  const app = appUnder("/llm", { apiKeys: ["a-key"] });
  expect((await app.inject("/llm/v1/models")).statusCode).toBe(401);
  const headers = { authorization: "Bearer a-key" };
  expect((await app.inject({ url: "/llm/v1/models", headers })).statusCode).toBe(200);
});
