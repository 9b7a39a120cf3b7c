import { describe, expect, it } from "vitest";
import { requestLimits } from "../../src/http/request-checks.js";
import { listening, openRaw, parseRaw } from "../support/raw-connection.js";
import { buildLoadingApp } from "../support/test-app.js";

const { urlBytes, pathParameterChars, headerFields, headBytes } = requestLimits;
const inject = (url: string) => buildLoadingApp().app.inject({ url });
const urlOf = (length: number) => `/health/live?${"x".repeat(length - "/health/live?".length)}`;

describe("a request target", () => {
  it("may be as long as the limit", async () => {
    expect((await inject(urlOf(urlBytes))).statusCode).toBe(200);
  });

  it.each([
    ["/health/live", { error: { code: "url_too_long" } }],
    ["/v1/todos", { error: { code: "URL_TOO_LONG" } }],
    ["/v1/messages", { type: "error" }],
    ["/api/tags", { error: "url: expected at most 8192 bytes, got 8193." }],
    ["/api/todos", { error: "url: expected at most 8192 bytes, got 8193." }],
  ])(
    "above the limit is rejected with 414 at %s, with the error format of the path",
    async (path, body) => {
      const response = await inject(`${path}?${"x".repeat(urlBytes - path.length)}`);
      expect(response.statusCode).toBe(414);
      expect(response.json()).toMatchObject(body);
    },
  );

  it("above the limit is rejected even if its normalised form is shorter", async () => {
    expect((await inject(`${"/".repeat(urlBytes)}health/live`)).statusCode).toBe(414);
  });

  it("above the limit that cannot be decoded is rejected for its length", async () => {
    expect((await inject(`/%zz${"x".repeat(urlBytes)}`)).statusCode).toBe(414);
  });
});

describe("an id in a path", () => {
  const idOf = (length: number) => "9".repeat(length);

  it("may be as long as the limit", async () => {
    const { statusCode } = await inject(`/v1/responses/${idOf(pathParameterChars)}`);
    expect(statusCode).toBe(404);
  });

  it.each([
    ["/v1/todos", { error: { code: "URL_TOO_LONG" } }],
    ["/v1/responses", { error: { code: "url_too_long" } }],
    ["/v1/models", { error: { code: "url_too_long" } }],
  ])("above the limit is rejected with 414 below %s", async (path, body) => {
    const response = await inject(`${path}/${idOf(pathParameterChars + 1)}`);
    expect(response.statusCode).toBe(414);
    expect(response.json()).toMatchObject(body);
  });
});

/** Request with this number of header fields. */
const withFields = (fields: number) =>
  [
    "GET /health/live HTTP/1.1",
    "Host: localhost",
    "Connection: close",
    // A repeated name counts as another header field.
    ...Array.from({ length: fields - 2 }, () => "a: b"),
    "\r\n",
  ].join("\r\n");

describe("header fields", () => {
  it("may be as numerous as the limit", async () => {
    const { closed } = await openRaw(
      await listening(buildLoadingApp().app),
      withFields(headerFields),
    );
    expect(parseRaw(await closed).status).toBe(200);
  });

  it.each([headerFields + 1, 2500])(
    "above the maximum number are rejected with 431: %i",
    async (fields) => {
      const { closed } = await openRaw(await listening(buildLoadingApp().app), withFields(fields));
      const answer = parseRaw(await closed);
      expect(answer.status).toBe(431);
      expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "headers_too_large" } });
    },
  );

  it("above the maximum total size are rejected with 431", async () => {
    const { closed } = await openRaw(
      await listening(buildLoadingApp().app),
      `GET / HTTP/1.1\r\nHost: localhost\r\na: ${"b".repeat(headBytes)}\r\n\r\n`,
    );
    const answer = parseRaw(await closed);
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.body)).toMatchObject({
      error: {
        code: "headers_too_large",
        message: "request: expected at most 16384 bytes of request line and headers, got more.",
      },
    });
  });
});
