import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formPayload } from "../../support/form-payload.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { openStoredBatches, type StoredBatchesOptions } from "../../support/stored-batches.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import { buildTestApp, type TestAppOptions } from "../../support/test-app.js";

async function appWithFiles(options: TestAppOptions = {}, stored: StoredBatchesOptions = {}) {
  const { batches } = await openStoredBatches(stored);
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })), {
    ...options,
    batches,
  });
  const upload = async (fields: Parameters<typeof formPayload>[0], key?: string) => {
    const { headers, payload } = await formPayload(fields);
    return app.inject({
      method: "POST",
      url: "/v1/files",
      headers: { ...headers, ...(key && { authorization: `Bearer ${key}` }) },
      payload,
    });
  };
  const get = (path: string, key?: string) =>
    app.inject({ url: `/v1/files${path}`, headers: key ? { authorization: `Bearer ${key}` } : {} });
  return { app, upload, get, batches };
}

const content = (text: string) => new Blob([text]);

describe("files", () => {
  it("are stored, listed, downloaded and deleted", async () => {
    const { app, upload, get } = await appWithFiles();
    const created = await upload({ purpose: "batch", file: content("one\ntwo\n") });
    expect(created.json()).toMatchObject({
      object: "file",
      bytes: 8,
      filename: "a-file",
      purpose: "batch",
      status: "processed",
    });
    const { id, created_at, expires_at } = created.json();
    expect(expires_at - created_at).toBe(30 * 24 * 3600);
    expect((await get("")).json()).toMatchObject({
      object: "list",
      data: [{ id }],
      has_more: false,
    });
    expect((await get(`/${id}`)).json()).toEqual(created.json());
    const download = await get(`/${id}/content`);
    expect([download.body, download.headers["content-length"]]).toEqual(["one\ntwo\n", "8"]);
    const deleted = await app.inject({ method: "DELETE", url: `/v1/files/${id}` });
    expect(deleted.json()).toEqual({ id, object: "file", deleted: true });
    for (const path of [`/${id}`, `/${id}/content`]) expect((await get(path)).statusCode).toBe(404);
    expect((await get("")).json()).toMatchObject({ data: [] });
  });

  it("may have the file before the other fields, as OpenAI's client sends it", async () => {
    const { upload } = await appWithFiles();
    const created = await upload({ file: content("x"), purpose: "user_data" });
    expect(created.json()).toMatchObject({ purpose: "user_data", bytes: 1 });
  });

  it("are listed in pages, by purpose", async () => {
    const { upload, get } = await appWithFiles();
    const ids: string[] = [];
    for (const purpose of ["batch", "user_data", "batch"]) {
      ids.push((await upload({ purpose, file: content("x") })).json().id);
    }
    const idsOf = async (query: string) =>
      (await get(query)).json().data.map(({ id }: { id: string }) => id);
    const [first, second, third] = ids;
    expect(await idsOf("?order=asc")).toEqual([first, second, third]);
    expect(await idsOf("?limit=2")).toEqual([third, second]);
    expect(await idsOf(`?limit=2&after=${second}`)).toEqual([first]);
    expect(await idsOf("?purpose=batch")).toEqual([third, first]);
    expect((await get("?after=file-x")).json().error).toMatchObject({ param: "after" });
  });

  it("expire", async () => {
    let now = 1_700_000_000_000;
    const { upload, get } = await appWithFiles({}, { now: () => now });
    const { id } = (
      await upload({
        purpose: "batch",
        "expires_after[anchor]": "created_at",
        "expires_after[seconds]": "3600",
        file: content("x"),
      })
    ).json();
    expect((await get(`/${id}`)).json()).toMatchObject({ expires_at: 1_700_003_600 });
    now += 3_600_000;
    expect((await get(`/${id}`)).statusCode).toBe(404);
  });

  it.each([
    [{ purpose: "batch" }, 400, "file: expected a file, got nothing."],
    [{ file: content("x") }, 400, "purpose: expected one of batch, user_data, got nothing."],
    [{ file: content("x"), purpose: "vision" }, 400, "purpose: expected one of batch"],
    [{ purpose: "batch", file: content("") }, 400, "file: expected a file, got an empty one."],
    [{ purpose: "batch", other: content("x") }, 400, "other: expected a text, got a file."],
    [
      { purpose: "batch", file: content("x"), "expires_after[seconds]": "60" },
      400,
      "expires_after[seconds]: expected an integer from 3600 to 2592000",
    ],
    [{ purpose: "batch", file: content("x".repeat(2 ** 20 + 1)) }, 413, "file: expected at most"],
  ])("are refused, and leave nothing on disk: %#", async (fields, status, message) => {
    const folder = await temporaryFolder();
    const { upload } = await appWithFiles({ edge: { batchesMaxFile: 1 } }, { folder });
    const refused = await upload(fields);
    expect(refused.statusCode).toBe(status);
    expect(refused.json().error.message).toContain(message);
    expect(await readdir(join(folder, "files"))).toEqual([]);
  });

  it("of a key are invisible to other keys", async () => {
    const keyLines = ["a-key name=alice scopes=batches", "b-key name=bob"];
    const { app, upload, get } = await appWithFiles({ keyLines });
    const { id } = (await upload({ purpose: "batch", file: content("x") }, "a-key")).json();
    expect((await get(`/${id}`, "a-key")).statusCode).toBe(200);
    for (const path of [`/${id}`, `/${id}/content`])
      expect((await get(path, "b-key")).statusCode).toBe(404);
    expect((await get("", "b-key")).json()).toMatchObject({ data: [] });
    const deleted = await app.inject({
      method: "DELETE",
      url: `/v1/files/${id}`,
      headers: { authorization: "Bearer b-key" },
    });
    expect(deleted.statusCode).toBe(404);
  });

  it("of a key are limited to its share of the storage", async () => {
    const keyLines = ["a-key name=alice", "b-key name=bob"];
    const owners = { count: () => 2, has: () => true };
    const { upload, get, batches } = await appWithFiles({ keyLines }, { maxBytes: 2000, owners });
    const file = content("x".repeat(600));
    const first = await upload({ purpose: "batch", file }, "a-key");
    const refused = await upload({ purpose: "batch", file }, "a-key");
    expect(refused.statusCode).toBe(507);
    expect(refused.json().error.message).toContain(
      "expected at most 1000 bytes, the quota of the key 'alice' for all its files",
    );
    expect((await upload({ purpose: "batch", file }, "b-key")).statusCode).toBe(200);
    await batches.removeFile("alice", first.json().id);
    expect((await upload({ purpose: "batch", file }, "a-key")).statusCode).toBe(200);
    expect((await get("", "a-key")).json().data).toHaveLength(1);
  });

  it("are not served without a folder", async () => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
    const response = await app.inject({ url: "/v1/files" });
    expect(response.statusCode).toBe(501);
    expect(response.json().error.message).toContain("Start it with --batches FOLDER.");
    const { headers, payload } = await formPayload({ purpose: "batch", file: content("x") });
    const upload = await app.inject({ method: "POST", url: "/v1/files", headers, payload });
    expect(upload.statusCode).toBe(501);
  });
});
