import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ggufOf, sha256Of } from "../../support/model-sources/file-answers.js";
import { COMMIT, HubStandIn } from "../../support/model-sources/hub.js";
import { putInCache } from "../../support/model-sources/other-programs.js";
import { StandIn, sendJson, sendStatus } from "../../support/model-sources/stand-in.js";
import { filesBelow, pulling } from "./pulling.js";

const small = ggufOf(5000, 1);
const large = ggufOf(200_000, 2);
const projector = ggufOf(3000, 3);

const files = {
  "README.md": "text",
  "m-Q4_K_M.gguf": small,
  "Q8_0/m-Q8_0-00001-of-00002.gguf": large,
  "Q8_0/m-Q8_0-00002-of-00002.gguf": small,
  "mmproj-F16.gguf": projector,
};

describe("pulling a model from Hugging Face", () => {
  test("downloads and verifies the model and its projector, and makes it available by name", async () => {
    const hub = await HubStandIn.start({ files });
    const { pull, store, own, events } = await pulling(hub.environment);
    const { outcome, model } = await pull("user/repo");
    expect(outcome).toBe("pulled");
    expect(model).toMatchObject({
      name: "user/repo:Q4_K_M",
      place: "pulled",
      origin: { kind: "hugging-face", repo: "user/repo", revision: COMMIT, file: "m-Q4_K_M.gguf" },
      files: [{ path: join(own, "hf/user/repo/m-Q4_K_M.gguf"), sha256: sha256Of(small) }],
      projector: { sizeBytes: projector.length },
    });
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(small));
    for (const name of ["user/repo", "hf:user/repo:Q4_K_M", "m-Q4_K_M"]) {
      expect(await store.find(name)).toEqual(model);
    }
    expect(await filesBelow(own)).toEqual([
      "hf/user/repo/m-Q4_K_M.gguf",
      "hf/user/repo/mmproj-F16.gguf",
      "manifests/hf/user/repo/m-Q4_K_M.gguf.json",
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      "resolving",
      "resolved",
      ...["progress", "progress", "stored"],
      ...["progress", "progress", "stored"],
    ]);
  });

  test("downloads all parts of a split model", async () => {
    const hub = await HubStandIn.start({ files });
    const { pull } = await pulling(hub.environment);
    const { model } = await pull("hf:user/repo:q8_0");
    expect(model.name).toBe("user/repo:Q8_0");
    const contents = await Promise.all(model.files.map(({ path }) => readFile(path)));
    expect(contents.map(sha256Of)).toEqual([large, small].map(sha256Of));
  });

  test("sends no request for a model that is already complete, under any of its names", async () => {
    const hub = await HubStandIn.start({ files });
    const { pull } = await pulling(hub.environment);
    const { model } = await pull("user/repo");
    const asked = hub.api.requests.length + hub.storage.requests.length;
    for (const name of ["hf:user/repo", "user/repo:Q4_K_M", "hf:user/repo/m-Q4_K_M.gguf"]) {
      expect(await pull(name, { network: "never" })).toEqual({ outcome: "kept", model });
      expect(await pull(name)).toEqual({ outcome: "kept", model });
    }
    expect(hub.api.requests.length + hub.storage.requests.length).toBe(asked);
  });

  test("is refused in offline mode, without sending a request", async () => {
    const hub = await HubStandIn.start({ files });
    const { pull } = await pulling(hub.environment);
    await expect(pull("user/repo:Q8_0", { network: "never" })).rejects.toMatchObject({
      code: "offline",
      message: expect.stringContaining("hf:user/repo:Q8_0: "),
    });
    expect(hub.api.requests).toEqual([]);
  });

  test("keeps the stored version unless an update is requested, which downloads only changed files", async () => {
    const contents: Record<string, Buffer> = { "m-Q4_0.gguf": small, "mmproj-F16.gguf": projector };
    const hub = await HubStandIn.start({ files: contents });
    const { pull, store } = await pulling(hub.environment);
    await pull("user/repo");
    contents["m-Q4_0.gguf"] = large;
    hub.commit = "f".repeat(40);
    expect((await pull("user/repo")).outcome).toBe("kept");
    hub.storage.requests.length = 0;
    const { outcome, model } = await pull("user/repo", { ifStored: "check" });
    expect(outcome).toBe("pulled");
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(large));
    expect(hub.storage.requests.map(({ target }) => target)).toEqual(["/m-Q4_0.gguf?signed"]);
    expect((await store.list()).models).toEqual([model]);
  });

  test("reads all pages of the file list", async () => {
    const hub = await HubStandIn.start({ files, pageSize: 2 });
    const { pull } = await pulling(hub.environment);
    await pull("user/repo:Q8_0");
    expect(hub.api.requests.filter(({ target }) => target.includes("/tree/"))).toHaveLength(3);
  });

  test("stores a model of a specific revision under a separate path and name", async () => {
    const hub = await HubStandIn.start({ files });
    const { pull, store, own } = await pulling(hub.environment);
    const { model } = await pull(`user/repo@${COMMIT}:Q4_K_M`);
    expect(model.name).toBe(`user/repo@${COMMIT}:Q4_K_M`);
    expect(model.files[0].path).toBe(join(own, `hf/user/repo@${COMMIT}/m-Q4_K_M.gguf`));
    await expect(store.find("user/repo:Q4_K_M")).rejects.toMatchObject({ code: "not_found" });
    await expect(pull("user/repo@v9")).rejects.toThrow("expected a repository with a revision v9");
  });

  test("downloads existing files without a manifest again only if they differ", async () => {
    const hub = await HubStandIn.start({
      files: { "m-Q4_0.gguf": small, "mmproj-F16.gguf": projector },
    });
    const { pull, own } = await pulling(hub.environment);
    const { model } = await pull("user/repo");
    await writeFile(model.projector?.path ?? "", Buffer.alloc(projector.length));
    if (model.place === "pulled") await writeFile(model.manifestPath, "damaged");
    hub.storage.requests.length = 0;
    await pull("user/repo");
    expect(hub.storage.requests.map(({ target }) => target)).toEqual(["/mmproj-F16.gguf?signed"]);
    expect(sha256Of(await readFile(join(own, "hf/user/repo/mmproj-F16.gguf")))).toBe(
      sha256Of(projector),
    );
  });

  const longestName = `${"x".repeat(192 - "-Q4_0.gguf".length)}-Q4_0.gguf`;

  test.each([
    ["a lone surrogate", "m\ud83d-Q4_0.gguf", '"m\\ud83d-Q4_0.gguf"'],
    ["a bidirectional control", "m\u202e-Q4_0.gguf", '"m\\u202e-Q4_0.gguf"'],
    ["too many bytes for the name of a partial file", `x${longestName}`, '"xxx'],
  ])("fails if the only file has a name with %s", async (_, path, got) => {
    const hub = await HubStandIn.start({ files: { [path]: small } });
    const { pull, own } = await pulling(hub.environment);
    const error = await pull("user/repo").catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "ModelError", code: "invalid_answer" });
    expect(String(error)).toContain(
      `user/repo: expected paths below a folder, with names of at most 192 bytes without control or format characters, got ${got}`,
    );
    expect(hub.storage.requests).toEqual([]);
    expect(await filesBelow(own)).toEqual([]);
  });

  test("ignores other files with unusable names", async () => {
    const hub = await HubStandIn.start({
      files: { "a\ud83d-Q4_0.gguf": large, "m-Q4_0.gguf": small },
    });
    const { pull } = await pulling(hub.environment);
    expect((await pull("user/repo")).model.name).toBe("user/repo:Q4_0");
  });

  test("accepts a file name of the maximum length", async () => {
    const hub = await HubStandIn.start({ files: { [longestName]: small } });
    const { pull } = await pulling(hub.environment);
    const { model } = await pull("user/repo");
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(small));
  });

  test("uses the copy in the Hugging Face cache if there is one", async () => {
    const hub = await HubStandIn.start({ files });
    const { pull, own } = await pulling(hub.environment);
    const file = { repo: "user/repo", revision: "1", file: "m-Q4_K_M.gguf" };
    await putInCache(join(own, "..", "hub"), file);
    expect(await pull("user/repo")).toMatchObject({
      outcome: "kept",
      model: { place: "hugging-face" },
    });
    expect(await filesBelow(own)).toEqual([]);
  });
});

describe("the Hugging Face access token", () => {
  test("is sent to the hub, but not to the storage host that the hub redirects to", async () => {
    const hub = await HubStandIn.start({ files, token: "hf_secret" });
    const { pull } = await pulling({ ...hub.environment, HF_TOKEN: "hf_secret" });
    await pull("user/repo");
    const sent = hub.api.requests.map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set(["Bearer hf_secret"]));
    expect(hub.storage.requests.length).toBeGreaterThan(0);
    expect(hub.storage.requests.filter(({ headers }) => headers.authorization)).toEqual([]);
    expect(JSON.stringify(hub.storage.requests)).not.toContain("secret");
  });

  test("is read from the token file of the Hugging Face client", async () => {
    const hub = await HubStandIn.start({ files, token: "hf_stored" });
    const { pull, own } = await pulling({
      ...hub.environment,
      HF_TOKEN_PATH: `${import.meta.dirname}/x`,
    });
    await expect(pull("user/repo")).rejects.toMatchObject({ code: "access_denied" });
    const path = join(own, "..", "token");
    await writeFile(path, "hf_stored\n");
    const again = await pulling({ ...hub.environment, HF_TOKEN_PATH: path });
    expect((await again.pull("user/repo")).outcome).toBe("pulled");
  });

  test.each([
    [false, undefined, "there is no such repository, or it is private: expected HF_TOKEN"],
    [false, "hf_other", "there is no such repository, or this token may not read it"],
    [true, undefined, "gated: expected HF_TOKEN of a user who has accepted its terms"],
    [true, "hf_other", "gated: expected a token of a user who has accepted its terms"],
  ])(
    "that is missing or insufficient causes an error: gated %j, token %j: %s",
    async (isGated, token, reason) => {
      const hub = await HubStandIn.start({ files, isGated, token: "hf_secret" });
      const { pull } = await pulling({ ...hub.environment, HF_TOKEN: token });
      const attempt = pull("user/repo");
      await expect(attempt).rejects.toMatchObject({ code: "access_denied" });
      await expect(attempt).rejects.toThrow(reason);
      await expect(attempt).rejects.not.toThrow("hf_other");
    },
  );

  test("is neither sent nor logged if it is malformed", async () => {
    const hub = await HubStandIn.start({ files });
    const { pull } = await pulling({ ...hub.environment, HF_TOKEN: "hf_a\r\nx-evil: 1" });
    await expect(pull("user/repo")).rejects.toThrow("HF_TOKEN: expected a token of visible ASCII");
    expect(hub.api.requests).toEqual([]);
  });

  test("is not sent to another host that the file list links as its next page", async () => {
    const elsewhere = await StandIn.start((_, response) => sendJson(response, []));
    const hub = await StandIn.start(({ target }, response) =>
      target.includes("/revision/")
        ? sendJson(response, { sha: COMMIT })
        : sendJson(response, [], { link: `<${elsewhere.origin}/page>; rel="next"` }),
    );
    const { pull } = await pulling({ HF_ENDPOINT: hub.origin, HF_TOKEN: "hf_secret" });
    await expect(pull("user/repo")).rejects.toMatchObject({ code: "invalid_answer" });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("a hub", () => {
  test.each([
    ["responds with text that is not JSON", "<html>", "expected JSON"],
    ["responds with unexpected JSON", '{"sha":1}', "sha: expected"],
    [
      "responds with too much data",
      `"${"x".repeat(9 * 1024 * 1024)}"`,
      "expected an answer of at most",
    ],
  ])("that %s causes an error", async (_, body, reason) => {
    const hub = await StandIn.start((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(body);
    });
    const { pull } = await pulling({ HF_ENDPOINT: hub.origin, HF_TOKEN_PATH: "/x" });
    const attempt = pull("user/repo");
    await expect(attempt).rejects.toMatchObject({ code: "invalid_answer" });
    await expect(attempt).rejects.toThrow(reason);
  });

  test.each([
    "../../evil-Q4_K_M.gguf",
    "/evil-Q4_K_M.gguf",
    "a\\..\\evil-Q4_K_M.gguf",
    "a\0-Q4_K_M.gguf",
    "con/evil-Q4_K_M.gguf",
  ])("cannot name a file outside the models folder: %j", async (path) => {
    const hub = await HubStandIn.start({ files: { [path]: small } });
    const { pull, own } = await pulling(hub.environment);
    await expect(pull("user/repo")).rejects.toThrow("expected paths below a folder");
    expect(await filesBelow(join(own, ".."))).toEqual([]);
  });

  test("that is overloaded is queried again after its Retry-After", async () => {
    let isOverloaded = true;
    const hub = await HubStandIn.start({ files });
    const front = await StandIn.start(({ target }, response) => {
      if (isOverloaded) {
        isOverloaded = false;
        return sendStatus(response, 429, { "retry-after": "0" });
      }
      sendStatus(response, 307, { location: `${hub.api.origin}${target}` });
    });
    const { pull, events } = await pulling({ HF_ENDPOINT: front.origin, HF_TOKEN_PATH: "/x" });
    await pull("user/repo");
    expect(events).toContainEqual({
      type: "retrying",
      path: undefined,
      reason: "the server answered 429",
      delayMs: expect.any(Number),
    });
  });

  test("that cannot be reached causes an error", async () => {
    const gone = await HubStandIn.start({ files });
    gone.api.close();
    const { pull } = await pulling(gone.environment);
    await expect(pull("user/repo")).rejects.toMatchObject({
      code: "source_unavailable",
      message: expect.stringMatching(/^hf:user\/repo: .*ECONNREFUSED.*, 4 times in a row$/),
    });
  });

  test.each(["ftp://x", "nonsense"])("with the invalid address %s is refused", async (endpoint) => {
    const { pull } = await pulling({ HF_ENDPOINT: endpoint });
    await expect(pull("user/repo")).rejects.toThrow("HF_ENDPOINT: expected an http or https URL");
  });
});
