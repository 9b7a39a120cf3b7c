import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { PullEvent } from "../../../src/core/pull-event.js";
import { PartFile } from "../../../src/models/pull/part-file.js";
import { eventually } from "../../support/eventually.js";
import { type Fault, ggufOf, sha256Of } from "../../support/model-sources/file-answers.js";
import { HubStandIn } from "../../support/model-sources/hub.js";
import { StandIn, sendStatus } from "../../support/model-sources/stand-in.js";
import { impatient } from "./impatient.js";
import { breaksAfter, filesBelow, pulling } from "./pulling.js";

const content = ggufOf(300_000);
const PLACE = "hf/user/repo/m-Q4_0.gguf";

/** A hub with one file; its storage produces these faults first, in order. */
async function hubWith(...faults: Fault[]) {
  let place = "";
  for (const [index, fault] of faults.entries()) {
    if (fault.kind !== "breaks" || fault.afterBytes === 0) continue;
    faults[index] = breaksAfter(fault.afterBytes, () => `${place}.part`);
  }
  const hub = await HubStandIn.start({ files: { "m-Q4_0.gguf": content }, faults });
  const ranges = () => hub.storage.requests.map(({ headers }) => headers.range);
  const machine = await pulling(hub.environment);
  place = join(machine.own, PLACE);
  return { hub, ranges, ...machine };
}

const typesOf = (events: readonly PullEvent[]) =>
  events.map(({ type }) => type).filter((type) => type !== "progress" && type !== "checking");

afterEach(() => {
  vi.restoreAllMocks();
});

describe("an interrupted download", () => {
  test.each<[string, Fault, string | undefined]>([
    ["after a broken connection", { kind: "breaks", afterBytes: 100_000 }, "bytes=100000-"],
    ["after a stalled connection", { kind: "stalls", afterBytes: 100_000 }, "bytes=100000-"],
    ["after a request without a response", { kind: "no-headers" }, undefined],
    ["after status 503", { kind: "status", status: 503 }, undefined],
    [
      "after status 429, once Retry-After has elapsed",
      { kind: "status", status: 429, headers: { "retry-after": "1" } },
      undefined,
    ],
    ["after status 408", { kind: "status", status: 408 }, undefined],
  ])("resumes %s", async (_, fault, range) => {
    const { pull, ranges, events } = await hubWith(fault);
    const { model } = await pull("user/repo");
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
    expect(ranges()).toEqual([undefined, range]);
    expect(typesOf(events)).toEqual(["resolving", "resolved", "retrying", "stored"]);
    const retry = events.find(({ type }) => type === "retrying");
    const isAsked = fault.kind === "status" && fault.status === 429;
    expect(retry).toMatchObject({ delayMs: isAsked ? 1000 : expect.any(Number) });
  });

  test("resumes after any number of interruptions, as long as each attempt makes progress", async () => {
    const pieces = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 3, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(pieces, async (sizes) => {
        const faults = sizes.map((afterBytes): Fault => ({ kind: "breaks", afterBytes }));
        const { pull, own } = await hubWith(...faults);
        const { model } = await pull("user/repo");
        expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
        expect(await filesBelow(own)).toEqual([PLACE, `manifests/${PLACE}.json`]);
      }),
      { numRuns: 3 },
    );
  });

  test("restarts if the server does not support range requests", async () => {
    const { pull, events } = await hubWith(
      { kind: "breaks", afterBytes: 100_000 },
      { kind: "ignores-range" },
    );
    const { model } = await pull("user/repo");
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
    expect(events).toContainEqual({
      type: "restarting",
      path: PLACE,
      reason: "the source sends the file from its beginning",
    });
  });

  test.each<[string, Fault]>([
    ["the server returns a different range than requested", { kind: "other-range" }],
    ["the server returns 416 Range Not Satisfiable", { kind: "status", status: 416 }],
  ])("restarts if %s", async (_, fault) => {
    const { pull, ranges } = await hubWith({ kind: "breaks", afterBytes: 100_000 }, fault);
    const { model } = await pull("user/repo");
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
    expect(ranges()).toEqual([undefined, "bytes=100000-", undefined]);
  });

  test("resumes on the next pull, after hashing the partial file again", async () => {
    const faults = Array(3).fill({ kind: "breaks", afterBytes: 0 });
    const { hub, pull, own, store, events } = await hubWith(
      { kind: "breaks", afterBytes: 100_000 },
      ...faults,
    );
    await expect(pull("user/repo")).rejects.toMatchObject({ code: "source_unavailable" });
    expect(await filesBelow(own)).toEqual([`${PLACE}.part`, `${PLACE}.part.json`]);
    expect(await store.list()).toMatchObject({ models: [], partials: [{ sizeBytes: 100_000 }] });
    hub.storage.requests.length = 0;
    const { model } = await pull("user/repo");
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
    expect(hub.storage.requests.map(({ headers }) => [headers.range, headers["if-range"]])).toEqual(
      [["bytes=100000-", `"${sha256Of(content)}"`]],
    );
    expect(events).toContainEqual({
      type: "checking",
      path: PLACE,
      completedBytes: 100_000,
      totalBytes: 300_000,
    });
    expect(await filesBelow(own)).toEqual([PLACE, `manifests/${PLACE}.json`]);
  });

  test("completes without a request if only the final rename is missing", async () => {
    const { hub, pull, own } = await hubWith();
    const { model } = await pull("user/repo");
    await writeFile(`${model.files[0].path}.part`, content);
    await writeFile(
      `${model.files[0].path}.part.json`,
      JSON.stringify({ sha256: sha256Of(content) }),
    );
    await rm(model.files[0].path);
    hub.storage.requests.length = 0;
    await pull("user/repo");
    expect(hub.storage.requests).toEqual([]);
    expect(await filesBelow(own)).toEqual([PLACE, `manifests/${PLACE}.json`]);
  });

  test.each([
    ["belongs to another version", JSON.stringify({ sha256: "0".repeat(64) }), 1000],
    ["has unreadable metadata", "{", 1000],
    ["is too long", JSON.stringify({ sha256: sha256Of(content) }), 400_000],
  ])("from the beginning, if the partial file %s", async (_, noted, bytes) => {
    const { pull, own, ranges } = await hubWith();

    await mkdir(join(own, "hf/user/repo"), { recursive: true });
    await writeFile(join(own, `${PLACE}.part`), Buffer.alloc(bytes));
    await writeFile(join(own, `${PLACE}.part.json`), noted);
    const { model } = await pull("user/repo");
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
    expect(ranges()).toEqual([undefined]);
  });
});

describe("a download fails", () => {
  test("if the content is wrong: the error has both digests, and the file is deleted", async () => {
    const { pull, own, store } = await hubWith({ kind: "wrong-bytes" });
    const wrong = sha256Of(content.map((byte) => byte ^ 1));
    await expect(pull("user/repo")).rejects.toMatchObject({
      code: "wrong_content",
      message: `${PLACE}: expected sha256 ${sha256Of(content)}, got ${wrong}; the download was deleted`,
    });
    expect(await filesBelow(own)).toEqual([]);
    expect((await store.list()).models).toEqual([]);
  });

  test.each<[string, Fault, string]>([
    [
      "a file of a different length",
      { kind: "body", body: "<html>", headers: { "content-length": "6" } },
      "expected a file of 300000 bytes, got one of 6",
    ],
    [
      "no Content-Length",
      { kind: "body", body: "GGUF", isEndless: true },
      "expected the length of the file",
    ],
    [
      "more bytes than declared",
      { kind: "body", body: "x".repeat(300_001), headers: { "transfer-encoding": "chunked" } },
      "expected a file of 300000 bytes, got a longer one",
    ],
    [
      "a compressed file",
      { kind: "body", body: "x", headers: { "content-length": "1", "content-encoding": "gzip" } },
      "expected an unencoded file, got one in gzip",
    ],
    [
      "a redirect to a scheme other than HTTP(S)",
      { kind: "redirect", to: "file:///etc/passwd" },
      "expected a redirect to http or https",
    ],
    ["status 418", { kind: "status", status: 418 }, "the server answered 418"],
  ])("immediately if the source sends %s", async (_, fault, reason) => {
    const { hub, pull } = await hubWith(fault);
    const attempt = pull("user/repo");
    await expect(attempt).rejects.toMatchObject({ code: "invalid_answer" });
    await expect(attempt).rejects.toThrow(`${PLACE}: ${reason}`);
    expect(hub.storage.requests).toHaveLength(1);
  });

  test("on a redirect loop", async () => {
    const loop = await StandIn.start((_, response) =>
      sendStatus(response, 302, { location: "/again" }),
    );
    const { pull } = await hubWith({ kind: "redirect", to: loop.origin });
    await expect(pull("user/repo")).rejects.toThrow(
      "expected at most 10 redirects, got a loop of them",
    );
    expect(loop.requests.length).toBeLessThan(12);
  });

  test("if Retry-After exceeds the limit", async () => {
    const headers = { "retry-after": "86400" };
    const { pull } = await hubWith({ kind: "status", status: 429, headers });
    await expect(pull("user/repo")).rejects.toThrow("asks to wait 86400 s");
  });

  test("if the server ignores range requests and disconnects at the same offset each time", async () => {
    const faults = Array(20).fill({ kind: "breaks", afterBytes: 100_000 });
    const { hub, pull } = await hubWith(...faults);
    hub.storage.requests.length = 0;
    vi.spyOn(PartFile.prototype, "identity", "get").mockReturnValue({});
    await expect(pull("user/repo")).rejects.toMatchObject({ code: "source_unavailable" });
    expect(hub.storage.requests.length).toBeLessThan(7);
  });

  test("when it is aborted, and keeps the partial file for the next pull", async () => {
    const hub = await HubStandIn.start({
      files: { "m-Q4_0.gguf": content },
      faults: [{ kind: "stalls", afterBytes: 100_000 }],
    });
    const patient = { ...impatient, stallMs: 60_000 };
    const { pull, own } = await pulling(hub.environment, { policy: patient });
    const controller = new AbortController();
    const attempt = pull("user/repo", { signal: controller.signal });
    const part = join(own, `${PLACE}.part`);
    await eventually(async () => expect((await stat(part)).size).toBe(100_000));
    const reason = new Error("Ctrl-C");
    controller.abort(reason);
    await expect(attempt).rejects.toBe(reason);
    const { model } = await pull("user/repo");
    expect(hub.storage.requests.map(({ headers }) => headers.range)).toEqual([
      undefined,
      "bytes=100000-",
    ]);
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
  });

  test("without sending a request if its signal is already aborted", async () => {
    const { hub, pull } = await hubWith();
    await expect(pull("user/repo", { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
    expect(hub.api.requests).toEqual([]);
  });
});

describe("the disk", () => {
  test("is checked for free space before the download starts", async () => {
    const hub = await HubStandIn.start({ files: { "m-Q4_0.gguf": content } });
    const { pull, own } = await pulling(hub.environment, {
      freeBytes: async () => 64 * 2 ** 20 + 299_999,
    });
    await expect(pull("user/repo")).rejects.toMatchObject({
      code: "disk_full",
      message: `${own}: expected 300 kB of free space and a reserve of 67 MB, got 67 MB`,
    });
    expect(hub.storage.requests).toEqual([]);
  });

  test("needs free space only for the rest of a partial file", async () => {
    let place = "";
    const hub = await HubStandIn.start({
      files: { "m-Q4_0.gguf": content },
      faults: [breaksAfter(200_000, () => `${place}.part`)],
    });
    let free = 64 * 2 ** 20 + 300_000;
    const { pull, own } = await pulling(hub.environment, {
      freeBytes: async () => free,
      policy: { ...impatient, maxAttempts: 1 },
    });
    place = join(own, PLACE);
    await expect(pull("user/repo")).rejects.toMatchObject({ code: "source_unavailable" });
    free -= 200_000;
    expect((await pull("user/repo")).outcome).toBe("pulled");
  });

  test("that fills up during the download causes a single error, and the partial file is kept", async () => {
    const { pull, own } = await hubWith();
    const append = PartFile.prototype.append;
    const full = Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
    });
    vi.spyOn(PartFile.prototype, "append").mockImplementation(async function (
      this: PartFile,
      chunk,
    ) {
      if (this.sizeBytes > 100_000) throw full;
      await append.call(this, chunk);
    });
    await expect(pull("user/repo")).rejects.toMatchObject({
      code: "disk_full",
      message: `${join(own, PLACE)}: the disk is full; the partial download is kept, and the next pull resumes it`,
    });
    vi.restoreAllMocks();
    expect((await stat(join(own, `${PLACE}.part`))).size).toBeGreaterThan(100_000);
    const { model } = await pull("user/repo");
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(content));
  });

  test("that cannot be written to causes an error with the path", async () => {
    const { pull, own } = await hubWith();

    await mkdir(join(own, "hf"), { recursive: true });
    await writeFile(join(own, "hf", "user"), "a file in the way");
    await expect(pull("user/repo")).rejects.toMatchObject({
      code: "storage",
      message: expect.stringContaining("cannot be written: "),
    });
  });
});

describe("concurrent pulls of one file", () => {
  test("share one download within a process, and each pull gets its own events", async () => {
    const { hub, pull } = await hubWith();
    const told: PullEvent[][] = [[], []];
    const [one, other] = await Promise.all(
      told.map((events) => pull("user/repo", { onEvent: (event) => events.push(event) })),
    );
    expect(one?.model.files).toEqual(other?.model.files);
    expect(hub.storage.requests).toHaveLength(1);
    for (const events of told) expect(typesOf(events)).toEqual(["resolving", "resolved", "stored"]);
  });

  test("continue if one of them is aborted, and share the remaining download", async () => {
    const { hub, pull, own } = await hubWith({ kind: "stalls", afterBytes: 100_000 });
    const controllers = [new AbortController(), new AbortController()] as const;
    const begun = new Set<number>();
    const pulls = controllers.map(({ signal }, index) =>
      pull("user/repo", {
        signal,
        onEvent: ({ type }) => type === "progress" && begun.add(index),
      }),
    );
    await eventually(() => expect(begun.size).toBe(2));
    controllers[0].abort(new Error("first"));
    await expect(pulls[0]).rejects.toThrow("first");
    expect((await pulls[1])?.outcome).toBe("pulled");
    expect(hub.storage.requests).toHaveLength(2);
    expect(await filesBelow(own)).toEqual([PLACE, `manifests/${PLACE}.json`]);
  });
});
