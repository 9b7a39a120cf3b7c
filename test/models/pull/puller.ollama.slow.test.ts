import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseTokenUrl } from "../../../src/models/pull/authorization.js";
import { readOllamaTexts } from "../../../src/models/store/ollama-texts.js";
import { ggufOf, sha256Of } from "../../support/model-sources/file-answers.js";
import { putInOllama } from "../../support/model-sources/other-programs.js";
import { type RegistryLayer, RegistryStandIn } from "../../support/model-sources/registry.js";
import { StandIn, sendJson } from "../../support/model-sources/stand-in.js";
import { breaksAfter, filesBelow, pulling } from "./pulling.js";

const weights = ggufOf(50_000);
const layers: readonly RegistryLayer[] = [
  ["model", weights],
  ["projector", ggufOf(2000, 4)],
  ["adapter", ggufOf(3000, 5)],
  ["template", "{{ .Prompt }}"],
  ["system", "Be brief."],
  ["params", '{"temperature":0.2}'],
  ["license", "MIT"],
  ["license", "MIT"],
];

describe("pulling a model from an Ollama registry", () => {
  test("downloads each layer, including its text layers", async () => {
    const registry = await RegistryStandIn.start({ model: "library/tiny", tag: "1b", layers });
    const { pull, store, own } = await pulling({});
    const { outcome, model } = await pull(registry.name);
    expect(outcome).toBe("pulled");
    expect(model.files[0]).toMatchObject({
      path: join(own, `ollama/blobs/sha256-${sha256Of(weights)}`),
      sha256: sha256Of(weights),
    });
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(weights));
    expect(model).toMatchObject({
      projector: { sizeBytes: 2000 },
      adapters: [{ sizeBytes: 3000 }],
    });
    if (model.place !== "pulled" || model.origin.kind !== "ollama") throw new Error(model.place);
    expect(await readOllamaTexts(model.origin.texts)).toMatchObject({
      template: "{{ .Prompt }}",
      system: "Be brief.",
      parameters: { temperature: 0.2 },
      licenses: ["MIT"],
    });
    expect(await store.find(registry.name)).toEqual(model);
    expect(await pull(registry.name, { network: "never" })).toEqual({ outcome: "kept", model });
  });

  test("shares blobs between tags; removing one tag keeps the blobs of the other", async () => {
    const one = await RegistryStandIn.start({ model: "a/m", tag: "1", layers });
    const other = await RegistryStandIn.start({
      model: "a/m",
      tag: "2",
      layers: layers.slice(0, 1),
    });
    const { pull, store, own } = await pulling({});
    const { model } = await pull(one.name);
    const left = await pull(other.name);
    await store.remove(model.name);
    expect(await filesBelow(join(own, "ollama"))).toEqual([`blobs/sha256-${sha256Of(weights)}`]);
    expect((await store.list()).models).toEqual([left.model]);
    expect((await store.list()).problems).toEqual([]);
  });

  test("uses an anonymous token, which is not sent to any other host", async () => {
    const registry = await RegistryStandIn.start({
      model: "library/tiny",
      layers,
      access: "token",
    });
    const { pull } = await pulling({});
    await pull(registry.name);
    const targets = registry.registry.requests.map(({ target }) => target);
    expect(targets[1]).toBe("/token?service=registry&scope=repository%3Alibrary%2Ftiny%3Apull");
    expect(targets.filter((target) => target.startsWith("/token"))).toHaveLength(1);
    expect(registry.storage.requests.length).toBeGreaterThan(5);
    expect(registry.storage.requests.filter(({ headers }) => headers.authorization)).toEqual([]);
  });

  test("requests a new token when the token has expired", async () => {
    const { pull, own } = await pulling({});
    const part = join(own, `ollama/blobs/sha256-${sha256Of(weights)}.part`);
    const faults = [breaksAfter(20_000, () => part)];
    const registry = await RegistryStandIn.start({ model: "a/m", layers, access: "token", faults });
    const { model } = await pull(registry.name, {
      onEvent: ({ type }) => type === "retrying" && registry.tokens.clear(),
    });
    expect(sha256Of(await readFile(model.files[0].path))).toBe(sha256Of(weights));
    expect(registry.storage.requests[1]?.headers.range).toBe("bytes=20000-");
  });

  test.each([
    ["is not public", "closed" as const, "access_denied", "expected a public model"],
    ["has wrong content", "open" as const, "wrong_content", "expected sha256"],
  ])("fails if the model %s", async (_, access, code, reason) => {
    const faults = [{ kind: "wrong-bytes" } as const];
    const registry = await RegistryStandIn.start({ model: "a/m", layers, access, faults });
    const { pull, own } = await pulling({});
    const attempt = pull(registry.name);
    await expect(attempt).rejects.toMatchObject({ code });
    await expect(attempt).rejects.toThrow(reason);
    expect(await filesBelow(own)).toEqual([]);
  });

  test("reports that the model was not found", async () => {
    const registry = await RegistryStandIn.start({ model: "a/m", layers });
    const { pull } = await pulling({});
    await expect(pull(registry.name.replace(":latest", ":other"))).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test.each<[unknown, string]>([
    [{ schemaVersion: 1, layers: [] }, "schemaVersion: expected"],
    [
      { schemaVersion: 2, layers: [{ mediaType: "x", digest: "sha256:../../../x", size: 1 }] },
      "layers.0.digest: expected sha256: and 64 hexadecimal digits",
    ],
    [
      {
        schemaVersion: 2,
        layers: [{ mediaType: "x", digest: `sha256:${"0".repeat(64)}`, size: -1 }],
      },
      "layers.0.size",
    ],
    [
      {
        schemaVersion: 2,
        layers: [
          {
            mediaType: "application/vnd.ollama.image.tensor",
            digest: `sha256:${"0".repeat(64)}`,
            size: 1,
          },
        ],
      },
      "expected a model in GGUF, got layers of tensor",
    ],
    ["x".repeat(1024 * 1024), "expected an answer of at most 1048576 bytes"],
  ])("fails if the manifest is %j", async (manifest, reason) => {
    const registry = await StandIn.start((_, response) => sendJson(response, manifest));
    const { pull } = await pulling({});
    const attempt = pull(`ollama:127.0.0.1:${registry.port}/a/m`);
    await expect(attempt).rejects.toMatchObject({ code: "invalid_answer" });
    await expect(attempt).rejects.toThrow(reason);
  });

  test("uses the copy in the local Ollama folder if there is one", async () => {
    const { pull, own } = await pulling({});
    await putInOllama(join(own, "..", "ollama"), "registry.ollama.ai/library/llama3/latest", [
      ["model", "w"],
    ]);
    expect(await pull("ollama:llama3")).toMatchObject({
      outcome: "kept",
      model: { place: "ollama" },
    });
  });
});

describe("the token URL", () => {
  const registry = new URL("https://registry.ollama.ai");
  test.each([
    [
      'Bearer realm="https://ollama.com/token",service="s",scope="repository:a/m:pull"',
      "https://ollama.com/token?service=s&scope=repository%3Aa%2Fm%3Apull",
    ],
    ['Bearer realm="https://x/t?a=1"', "https://x/t?a=1"],
    ['Bearer realm="http://x/t"', undefined],
    ['Bearer realm="http://127.0.0.1/t"', undefined],
    ['Bearer realm="nonsense"', undefined],
    ['Basic realm="https://x"', undefined],
    [undefined, undefined],
  ])("for the challenge %j is %j", (challenge, expected) => {
    expect(parseTokenUrl(challenge, registry)?.href).toBe(expected);
  });
});
