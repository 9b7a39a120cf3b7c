import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const DOCUMENT = "<!doctype html><title>ggufd</title>";
const SCRIPT = "export const answer = 42;\n".repeat(20);

async function pageFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const page = join(folder, "page");
  await mkdir(page);
  await writeFile(join(page, "index.html"), DOCUMENT);
  await writeFile(join(page, "preview.html"), DOCUMENT);
  await writeFile(join(page, "index-a1B2.js"), SCRIPT);
  await writeFile(join(page, "index-a1B2.js.br"), brotliCompressSync(SCRIPT));
  await writeFile(join(page, "pdf.worker.min-c3D4.mjs"), SCRIPT);
  await writeFile(join(page, "jbig2-e5F6.wasm"), "wasm");
  await writeFile(join(folder, "secret.js"), "secret");
  return page;
}

async function app(options: TestAppOptions = {}) {
  const page = await pageFolder();
  return buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), { page, ...options }).app;
}

describe("the web page", () => {
  it("is served at / to browsers only", async () => {
    const server = await app();
    const page = await server.inject({ url: "/", headers: BROWSER });
    expect(page.statusCode).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(page.body).toBe(DOCUMENT);
    const index = await server.inject({ url: "/", headers: { accept: "*/*" } });
    expect(index.json()).toMatchObject({ name: "ggufd" });
    for (const { headers } of [page, index]) expect(headers.vary).toContain("Accept");
  });

  it("loads resources from its own origin only and disallows inline scripts", async () => {
    const { headers } = await (await app()).inject({ url: "/", headers: BROWSER });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe("no-cache");
  });

  it("has a document for previews, which can request nothing and is framed only by the page", async () => {
    const { headers, body } = await (await app()).inject("/page/preview.html");
    expect(body).toBe(DOCUMENT);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toContain("sandbox allow-scripts");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'none'");
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy.join()).not.toMatch(/\*|https?:|blob:|-src 'self'/);
    expect(headers["x-dns-prefetch-control"]).toBe("off");
    expect(headers["cache-control"]).toBe("no-cache");
  });

  it("requires no key, because it prompts for one", async () => {
    const server = await app({ apiKeys: ["a-key"] });
    expect((await server.inject({ url: "/", headers: BROWSER })).statusCode).toBe(200);
    expect((await server.inject("/page/index-a1B2.js")).statusCode).toBe(200);
    expect((await server.inject("/v1/key")).statusCode).toBe(401);
  });

  it("returns 403 for a host that is not allowed", async () => {
    const headers = { ...BROWSER, host: "evil.example" };
    const response = await (await app()).inject({ url: "/", headers });
    expect(response.statusCode).toBe(403);
    expect(response.json().error.code).toBe("host_not_allowed");
  });

  it("returns 304 to a browser with a current copy", async () => {
    const server = await app();
    const { etag } = (await server.inject({ url: "/", headers: BROWSER })).headers;
    const headers = { ...BROWSER, "if-none-match": String(etag) };
    expect((await server.inject({ url: "/", headers })).statusCode).toBe(304);
  });

  it("serves compressed files with long-term caching", async () => {
    const server = await app();
    const headers = { "accept-encoding": "gzip, br" };
    const small = await server.inject({ url: "/page/index-a1B2.js", headers });
    expect(small.headers["content-encoding"]).toBe("br");
    expect(small.headers["content-type"]).toMatch(/javascript/);
    expect(small.headers["cache-control"]).toContain("immutable");
    expect(small.headers.vary).toContain("Accept-Encoding");
    expect(brotliDecompressSync(small.rawPayload).toString()).toBe(SCRIPT);
    const plain = await server.inject("/page/index-a1B2.js");
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.body).toBe(SCRIPT);
  });

  it("confines workers: no network, no code from texts", async () => {
    const server = await app();
    for (const [file, type] of [
      ["pdf.worker.min-c3D4.mjs", "application/javascript; charset=utf-8"],
      ["jbig2-e5F6.wasm", "application/wasm"],
    ]) {
      const { statusCode, headers } = await server.inject(`/page/${file}`);
      expect(statusCode, file).toBe(200);
      expect(headers["content-type"]).toBe(type);
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'wasm-unsafe-eval'",
      );
    }
  });

  it.each([
    "/page/other.js",
    "/page/index.html",
    "/page/index-a1B2.js.br",
    "/page/..%2fsecret.js",
    "/page/%2e%2e%2fsecret.js",
    "/page/.hidden.js",
    "/page/a%00.js",
    "/page/",
    "/page",
  ])("returns 404 for %s", async (url) => {
    const response = await (await app()).inject(url);
    expect(response.statusCode).toBe(404);
    expect(response.json().error.code).toBe("not_found");
  });

  it("is not served if disabled", async () => {
    const { app: server } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })));
    const index = await server.inject({ url: "/", headers: BROWSER });
    expect(index.json()).toMatchObject({ name: "ggufd" });
    expect(index.headers.vary).toBeUndefined();
    expect((await server.inject("/page/index-a1B2.js")).statusCode).toBe(404);
  });
});

describe("GET /v1/key", () => {
  const KEY_LINE = "a-key name=alice scopes=inference,todos access=read-only";

  it("returns the scopes of the client's key", async () => {
    const server = await app({ keyLines: [KEY_LINE] });
    const headers = { authorization: "Bearer a-key" };
    expect((await server.inject({ url: "/v1/key", headers })).json()).toEqual({
      object: "key",
      name: "alice",
      scopes: ["inference", "todos"],
      access: "read-only",
    });
  });

  it("returns all scopes if the server has no keys", async () => {
    expect((await (await app()).inject("/v1/key")).json()).toEqual({
      object: "key",
      name: null,
      scopes: ["inference", "batches", "tools", "todos", "admin"],
      access: "full",
    });
  });

  it("returns 401 for an unknown key", async () => {
    const server = await app({ keyLines: [KEY_LINE] });
    const headers = { authorization: "Bearer another" };
    const response = await server.inject({ url: "/v1/key", headers });
    expect(response.statusCode).toBe(401);
    expect(response.json().error.code).toBe("invalid_api_key");
  });
});
