import { fastify } from "fastify";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { createRepresentations } from "../../../src/api/description/printed-description.js";
import { descriptionRoutes, sendSwaggerFiles } from "../../../src/api/description/routes.js";
import { mountRoutes } from "../../../src/http/route.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

const app = () => buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] }))).app;

describe("the OpenAPI description", () => {
  it("is OpenAPI 3.1 with the server's version, in JSON and YAML", async () => {
    const server = app();
    const json = await server.inject("/openapi.json");
    expect(json.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(json.json()).toMatchObject({
      openapi: "3.1.1",
      info: { title: "ggufd HTTP interface", version: "0.0.0", license: { identifier: "MIT" } },
      servers: [{ url: "/" }],
    });
    const yaml = await server.inject("/openapi.yaml");
    expect(yaml.headers["content-type"]).toBe("application/yaml; charset=utf-8");
    expect(parse(yaml.body)).toEqual(json.json());
  });

  it("covers exactly the server's routes", async () => {
    const server = app();
    const routes: string[] = [];
    server.addHook("onRoute", ({ method, url }) => {
      for (const name of [method].flat())
        routes.push(`${name} ${url.replaceAll(/:(\w+)/g, "{$1}")}`);
    });
    const { paths } = (await server.inject("/openapi.json")).json<{
      readonly paths: Readonly<Record<string, object>>;
    }>();
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const others = ["HEAD ", "OPTIONS "];
    const registered = routes.filter((route) => !others.some((method) => route.startsWith(method)));
    expect(registered.length).toBeGreaterThan(20);
    expect(described.toSorted()).toEqual(registered.toSorted());
  });

  it.each(["/openapi.json", "/openapi.yaml"])(
    "returns 304 to a client with a current copy: %s",
    async (url) => {
      const server = app();
      const { etag } = (await server.inject(url)).headers;
      for (const tags of [etag, `"a", W/${etag}`, "*"]) {
        const again = await server.inject({ url, headers: { "if-none-match": String(tags) } });
        expect(again.statusCode).toBe(304);
        expect(again.headers.etag).toBe(etag);
        expect(again.body).toBe("");
      }
      const other = await server.inject({ url, headers: { "if-none-match": '"a"' } });
      expect(other.statusCode).toBe(200);
    },
  );

  it("is read from the file once, and again only after a failed read", async () => {
    const read: string[] = [];
    const server = fastify();
    onTestFinished(() => server.close());
    const description = createRepresentations(async (format) => {
      read.push(format);
      if (read.length === 1) throw new Error("no such file");
      return Buffer.from("{}");
    });
    mountRoutes(server, [{ setUp: sendSwaggerFiles, routes: descriptionRoutes }], { description });
    const statuses: number[] = [];
    for (let request = 0; request < 3; request++) {
      statuses.push((await server.inject("/openapi.yaml")).statusCode);
    }
    expect(statuses).toEqual([500, 200, 200]);
    expect(read).toEqual(["yaml", "yaml"]);
  });

  it("requires no API key", async () => {
    const { app: locked } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
      apiKeys: ["k"],
    });
    for (const url of ["/openapi.json", "/openapi.yaml", "/docs", "/docs/page.css"]) {
      expect((await locked.inject(url)).statusCode).toBe(200);
    }
  });

  it("is linked from the service index", async () => {
    expect((await app().inject("/")).json()).toMatchObject({
      openapi: "/openapi.json",
      docs: "/docs",
    });
  });
});

describe("the documentation page", () => {
  it.each(["/docs", "/docs/"])("loads resources from its own origin only: %s", async (url) => {
    const { statusCode, headers, body } = await app().inject(url);
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(headers["content-security-policy"]).not.toContain("unsafe");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(body).not.toMatch(/https?:/);
  });

  it("references only files that exist", async () => {
    const server = app();
    const { body } = await server.inject("/docs");
    const files = Array.from(body.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g), ([, path]) => path);
    expect(files).toHaveLength(5);
    for (const url of files) expect((await server.inject(`${url}`)).statusCode).toBe(200);
  });

  it.each([
    "package.json",
    "index.html",
    "swagger-initializer.js",
    "..%2Fpackage.json",
    "toString",
  ])("serves no other files of the Swagger UI package: %s", async (file) => {
    const response = await app().inject(`/docs/${file}`);
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ error: { code: "not_found" } });
  });

  it.each([
    { "if-match": '"a"' },
    { "if-unmodified-since": "Wed, 01 Jan 2020 00:00:00 GMT" },
    { range: "bytes=99999999-" },
  ])("ignores preconditions and range requests and sends whole files: %j", async (headers) => {
    const response = await app().inject({ url: "/docs/swagger-ui.css", headers });
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain(".swagger-ui");
  });
});
