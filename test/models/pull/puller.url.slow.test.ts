import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  answerWithFile,
  type Fault,
  ggufOf,
  sha256Of,
} from "../../support/model-sources/file-answers.js";
import { StandIn, sendStatus } from "../../support/model-sources/stand-in.js";
import { breaksAfter, filesBelow, pulling } from "./pulling.js";

const content = ggufOf(100_000);

/** A server with these files; its responses produce these faults in order. */
function server(
  files: Readonly<Record<string, Buffer>>,
  { etag = '"1"', faults = [] as Fault[], headers = {} } = {},
) {
  return StandIn.start((request, response) => {
    const file = files[decodeURIComponent(new URL(request.target, "http://x").pathname)];
    if (file === undefined) return sendStatus(response, 404);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
    return answerWithFile(request, response, { content: file, etag, fault: faults.shift() });
  });
}

describe("pulling a file from a URL", () => {
  test("checks the length of the file, and reports that only the length was verified", async () => {
    const { origin, port, requests } = await server({ "/a b/m-Q4_0.gguf": content });
    const { pull, store, own, events } = await pulling({});
    const { model } = await pull(`${origin}/a%20b/m-Q4_0.gguf?key=1`);
    expect(model).toMatchObject({
      name: "m-Q4_0",
      origin: { kind: "url", url: `${origin}/a%20b/m-Q4_0.gguf?key=1` },
      files: [{ path: join(own, `url/127.0.0.1_${port}/a b/m-Q4_0.gguf`), sha256: undefined }],
    });
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
    expect(events.at(-1)).toMatchObject({ type: "stored", verifiedBy: "length" });
    expect(requests.map(({ target }) => target)).toEqual(["/a%20b/m-Q4_0.gguf?key=1"]);
    expect(await store.find("m-Q4_0")).toEqual(model);
    expect((await pull(`${origin}/a%20b/m-Q4_0.gguf?key=1`, { network: "never" })).outcome).toBe(
      "kept",
    );
  });

  test.each([
    ["x-linked-etag", `"${sha256Of(content)}"`],
    ["repr-digest", `sha-256=:${Buffer.from(sha256Of(content), "hex").toString("base64")}:`],
  ])("verifies the digest in the header %s", async (name, value) => {
    const { origin } = await server({ "/m.gguf": content }, { headers: { [name]: value } });
    const { pull, events } = await pulling({});
    const { model } = await pull(`${origin}/m.gguf`);
    expect(model.files[0].sha256).toBe(sha256Of(content));
    expect(events.at(-1)).toMatchObject({ verifiedBy: "sha256" });
    const wrong = await server(
      { "/m.gguf": content },
      { headers: { [name]: value }, faults: [{ kind: "wrong-bytes" }] },
    );
    await expect(pull(`${wrong.origin}/m.gguf`)).rejects.toMatchObject({ code: "wrong_content" });
  });

  test("downloads all parts of a split model, given the URL of any part", async () => {
    const parts = { "/m-00001-of-00002.gguf": content, "/m-00002-of-00002.gguf": ggufOf(2000, 9) };
    const { origin } = await server(parts);
    const { pull } = await pulling({});
    const { model } = await pull(`${origin}/m-00002-of-00002.gguf`);
    expect(model).toMatchObject({
      name: "m",
      files: [{ sizeBytes: 100_000 }, { sizeBytes: 2000 }],
    });
  });

  test("resumes if the file is unchanged, and restarts if it has changed", async () => {
    const { pull, own } = await pulling({});
    let port = 0;
    const broken = () => breaksAfter(30_000, () => join(own, `url/127.0.0.1_${port}/m.gguf.part`));
    const same = await server({ "/m.gguf": content }, { faults: [broken()] });
    port = same.port;
    const { model } = await pull(`${same.origin}/m.gguf`);
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
    expect(same.requests[1]?.headers).toMatchObject({ range: "bytes=30000-", "if-range": '"1"' });

    const changed = await StandIn.start((request, response) => {
      const isFirst = changed.requests.length === 1;
      answerWithFile(request, response, {
        content: isFirst ? ggufOf(100_000, 8) : content,
        etag: isFirst ? '"old"' : '"new"',
        fault: isFirst ? broken() : undefined,
      });
    });
    port = changed.port;
    const after = await pull(`${changed.origin}/m.gguf`);
    expect(sha256Of(await readFile(after.model.files[0].path))).toBe(sha256Of(content));
  });

  test("restarts if the server cannot prove that the file is unchanged", async () => {
    const etag = 'W/"weak"';
    const { origin, requests } = await server(
      { "/m.gguf": content },
      { etag, faults: [{ kind: "breaks", afterBytes: 30_000 }] },
    );
    const { pull } = await pulling({});
    const { model } = await pull(`${origin}/m.gguf`);
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
  });

  test("deletes a file that is not in GGUF", async () => {
    const { origin } = await server({ "/m.gguf": Buffer.from("<!DOCTYPE html><html>") });
    const { pull, own } = await pulling({});
    await expect(pull(`${origin}/m.gguf`)).rejects.toMatchObject({
      code: "wrong_content",
      message: expect.stringContaining('expected a GGUF file, got data that begins with "<!DO"'),
    });
    expect(await filesBelow(own)).toEqual([]);
  });

  test("checks disk space as soon as the length is known", async () => {
    const { origin } = await server({ "/m.gguf": content });
    const { pull, own } = await pulling({}, { freeBytes: async () => 64 * 2 ** 20 });
    await expect(pull(`${origin}/m.gguf`)).rejects.toMatchObject({ code: "disk_full" });
    expect(await filesBelow(own)).toEqual([]);
  });

  test.each([
    [401, "access_denied"],
    [403, "access_denied"],
    [404, "not_found"],
    [410, "not_found"],
  ])("fails with status %i without a retry", async (status, code) => {
    const { origin, requests } = await StandIn.start((_, response) => sendStatus(response, status));
    const { pull } = await pulling({});
    await expect(pull(`${origin}/m.gguf`)).rejects.toMatchObject({ code });
    expect(requests).toHaveLength(1);
  });
});

describe("a proxy", () => {
  test("is used for other hosts, but not for localhost", async () => {
    const proxy = await StandIn.start((_, response) => sendStatus(response, 404));
    const { origin, requests } = await server({ "/m.gguf": content });
    // curl also accepts a proxy without a scheme.
    const environment = { http_proxy: `127.0.0.1:${proxy.port}` };
    const { pull } = await pulling(environment);
    await pull(`${origin}/m.gguf`);
    expect(requests).toHaveLength(1);
    expect(proxy.requests).toEqual([]);
    await expect(pull("http://models.example/m.gguf")).rejects.toMatchObject({ code: "not_found" });
    expect(proxy.requests.map(({ target }) => target)).toEqual(["http://models.example/m.gguf"]);
    const excepted = await pulling({ ...environment, no_proxy: "0.0.0.0" });
    // An address that exists on every machine, at a port where nothing listens.
    await expect(excepted.pull("http://0.0.0.0:1/m.gguf")).rejects.toThrow("ECONNREFUSED");
    expect(proxy.requests).toHaveLength(1);
  });

  test.each(["ftp://proxy", "http://"])("with the invalid URL %s is refused", async (url) => {
    await expect(pulling({ HTTPS_PROXY: url })).rejects.toThrow(
      "HTTPS_PROXY: expected an http or https URL",
    );
  });
});
