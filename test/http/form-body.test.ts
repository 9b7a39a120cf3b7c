import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { type FastifyInstance, fastify, type InjectOptions } from "fastify";
import { expect, it, onTestFinished, test } from "vitest";
import { toErrorEnvelope } from "../../src/api/fields/error-envelope.js";
import { access } from "../../src/core/api-keys.js";
import { answerErrors } from "../../src/http/error-handler.js";
import { readFormBodies } from "../../src/http/form-body.js";
import { readJsonBodies } from "../../src/http/json-body.js";
import { mountRoutes } from "../../src/http/route.js";
import { type FieldValue, formPayload } from "../support/form-payload.js";

const MAX_FILE_BYTES = 200_000;
/** With its texts. */
const MAX_FORM_BYTES = 2_297_152;

/** Server that answers a form with its parsed content. */
function server(): FastifyInstance {
  const app = fastify({ bodyLimit: 1000 });
  onTestFinished(() => app.close());
  readJsonBodies(app);
  answerErrors(app, toErrorEnvelope);
  const setUp = (scope: FastifyInstance) =>
    readFormBodies(scope, { fileField: "file", maxFileBytes: MAX_FILE_BYTES });
  const route = {
    ...({ method: "POST", path: "/forms", access: access.open } as const),
    bodyType: "multipart/form-data",
    description: undefined,
    handle: async (_context: unknown, { body }: { body: unknown }) =>
      JSON.stringify(body, (name, value) => (name === "bytes" ? sizeOf(value) : value)),
  } as const;
  mountRoutes(app, [{ setUp, routes: [route] }], {});
  return app;
}

/** Buffers are converted before a replacer receives them. */
const sizeOf = ({ data }: { readonly data: readonly number[] }) => data.length;

const send = (request: InjectOptions) =>
  server().inject({ method: "POST", url: "/forms", ...request });

const sendForm = async (fields: Readonly<Record<string, FieldValue>>) =>
  send(await formPayload(fields));

const BOUNDARY = "--b";

/** Sends a body as a form, valid or not. */
const sendText = (payload: string | Readable, contentType = "multipart/form-data; boundary=b") =>
  send({ payload, headers: { "content-type": contentType } });

it("a form becomes an object of texts and a file by field name", async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
  const { body, statusCode } = await sendForm({
    "granularities[]": ["word", "segment", "word"],
    file: new Blob([bytes]),
    prompt: "Grüße, 世界",
    constructed: "",
  });
  expect(statusCode).toBe(200);
  expect(JSON.parse(body)).toEqual({
    "granularities[]": ["word", "segment", "word"],
    file: {
      type: "file",
      bytes: bytes.length,
      hash: createHash("sha256").update(bytes).digest("hex"),
    },
    prompt: "Grüße, 世界",
    constructed: "",
  });
});

it("a form may be empty", async () => {
  expect((await sendForm({})).json()).toEqual({});
});

it("fields declared as JSON are texts", async () => {
  const field = `${BOUNDARY}\r\nContent-Disposition: form-data; name="n"\r\nContent-Type: application/json\r\n\r\n0.5\r\n--b--\r\n`;
  expect((await sendText(field)).json()).toEqual({ n: "0.5" });
});

it("a field may have the name of a property of Object.prototype", async () => {
  const { body } = await sendText(`${part("__proto__")}--b--\r\n`);
  expect(body).toBe('{"__proto__":"x"}');
});

const file = new Blob(["RIFF"]);
const part = (name: string, more = "") =>
  `${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\nx\r\n`;

test.each<[string, Readonly<Record<string, FieldValue>>, string]>([
  ["two files", { file: [file, file] }, "file: expected one file, got more."],
  ["a file and a text", { file: [file, "x"] }, "file: expected one file, got a text as well."],
  ["a text and a file", { file: ["x", file] }, "file: expected one file, got more."],
  ["an empty file", { file: new Blob([]) }, "file: expected a file, got an empty one."],
  ["a file in a text field", { model: file }, "model: expected a text, got a file."],
  [
    "a text that is too long",
    { prompt: "x".repeat(65_537) },
    "prompt: expected at most 65536 bytes, got more.",
  ],
  [
    "too many texts",
    Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`field${index}`, "x"])),
    "body: expected at most 32 fields, got more.",
  ],
])("a form is rejected with %s", async (_what, fields, message) => {
  const response = await sendForm(fields);
  expect(response.statusCode).toBe(400);
  expect(response.headers.connection).toBe("close");
  expect(response.json().error).toMatchObject({ code: "invalid_request", message });
});

test.each([
  ["text", "hello"],
  ["a truncated form", part("model")],
  ["a form with a truncated file", part("file", '; filename="a"')],
])("a form is rejected if it is %s", async (_what, payload) => {
  const response = await sendText(payload);
  expect(response.statusCode).toBe(400);
  expect(response.json().error.code).toBe("invalid_request");
  expect(response.json().error.message).toMatch(/^body: expected multipart\/form-data: .+\.$/);
});

test.each(["", '; filename="a"'])(
  "a form is rejected with a field without a name%s",
  async (more) => {
    const response = await sendText(
      `${BOUNDARY}\r\nContent-Disposition: form-data${more}\r\n\r\nx\r\n--b--\r\n`,
    );
    expect(response.statusCode).toBe(400);
    expect(response.json().error.message).toBe(
      "body: expected every field to have a name, got one without.",
    );
  },
);

it("a form is rejected without a boundary", async () => {
  const response = await sendText(part("model"), "multipart/form-data");
  expect(response.json().error.message).toMatch(/^body: expected multipart\/form-data: /);
});

test.each([
  ["application/json", "{}"],
  ["text/plain", "hello"],
  ["application/x-www-form-urlencoded", "model=a"],
])("a body of type %s is rejected", async (contentType, payload) => {
  const response = await sendText(payload, contentType);
  expect(response.statusCode).toBe(415);
  expect(response.json().error.message).toBe(
    `content-type: expected multipart/form-data, got ${contentType}.`,
  );
});

it("a request without a body is rejected", async () => {
  const response = await send({});
  expect(response.statusCode).toBe(415);
  expect(response.json().error.message).toBe(
    "content-type: expected multipart/form-data, got none.",
  );
});

test.each([MAX_FILE_BYTES + 1, 3 * MAX_FILE_BYTES])(
  "a file of %i bytes is rejected, with and without a declared length",
  async (size) => {
    const { payload, headers } = await formPayload({ file: new Blob([Buffer.alloc(size)]) });
    for (const body of [payload, Readable.from([payload])]) {
      const response = await send({ payload: body, headers });
      expect(response.statusCode).toBe(413);
      expect(response.headers.connection).toBe("close");
      expect(response.json().error).toMatchObject({
        code: "payload_too_large",
        message: `file: expected at most ${MAX_FILE_BYTES} bytes, got more.`,
      });
    }
  },
);

it("a form is rejected at once if its declared length is too large", async () => {
  const response = await send({
    payload: Readable.from([part("model")]),
    headers: {
      "content-type": "multipart/form-data; boundary=b",
      "content-length": String(MAX_FORM_BYTES + 1),
    },
  });
  expect(response.statusCode).toBe(413);
  expect(response.json().error.message).toBe(
    `body: expected at most ${MAX_FORM_BYTES} bytes, got more.`,
  );
});

it("a file of the maximum size is accepted", async () => {
  const response = await sendForm({ file: new Blob([Buffer.alloc(MAX_FILE_BYTES)]) });
  expect(response.json().file.bytes).toBe(MAX_FILE_BYTES);
});
