import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";
import type { HubRepository } from "../../../src/core/hub-search.js";
import { searchHub } from "../../../src/models/pull/hub-search.js";
import { SourceClient } from "../../../src/models/pull/source-client.js";
import {
  type SeenRequest,
  StandIn,
  sendJson,
  sendStatus,
} from "../../support/model-sources/stand-in.js";
import { impatient } from "./impatient.js";

type Answer = (response: ServerResponse) => unknown;

/** A hub with a list of repositories and their descriptions; a function answers itself. */
async function searchAt(
  list: readonly unknown[] | Answer,
  descriptions: Readonly<Record<string, object | Answer>> = {},
  { limitMs = 2000, signal = new AbortController().signal, token = "" } = {},
) {
  const answer = (value: unknown, response: ServerResponse) =>
    typeof value === "function" ? value(response) : sendJson(response, value);
  const hub = await StandIn.start(({ target }: SeenRequest, response) => {
    const { pathname } = new URL(target, "http://hub");
    if (pathname === "/api/models") return answer(list, response);
    const described = descriptions[decodeURIComponent(pathname.slice("/api/models/".length))];
    return described === undefined ? sendStatus(response, 404) : answer(described, response);
  });
  const environment = { HF_ENDPOINT: hub.origin, HF_TOKEN_PATH: "/nowhere", HF_TOKEN: token };
  const client = new SourceClient(environment, impatient);
  onTestFinished(() => client.close());
  const query = { text: "qwen & co", limit: 3 };
  const found = searchHub(query, environment, { client, signal }, limitMs);
  return { hub, found };
}

const named = (...names: readonly unknown[]) => names.map((id) => ({ id }));
const file = (rfilename: unknown, size: unknown = 100) => ({ rfilename, size });
const one = (repositories: readonly HubRepository[]) => repositories[0]?.quantizations;

describe("a search of the hub", () => {
  test("describes repositories with their models, smallest first", async () => {
    const { hub, found } = await searchAt(named("a/b"), {
      "a/b": {
        ...{ downloads: 7, likes: 2, gated: "manual", pipeline_tag: "image-text-to-text" },
        cardData: { license: "other", license_name: "special" },
        gguf: { total: 4e9, architecture: "qwen3", context_length: 32_768 },
        siblings: [
          file("README.md"),
          file("b-Q8_0.gguf", 800),
          file("b-Q4_K_M.gguf", 400),
          file("b-F16-00001-of-00002.gguf", 900),
          file("b-F16-00002-of-00002.gguf", 700),
          file("mmproj-F16.gguf", 50),
        ],
      },
    });
    expect(await found).toEqual({
      hub: hub.origin,
      repositories: [
        {
          ...{ name: "a/b", downloads: 7, likes: 2, license: "special", isGated: true },
          ...{ task: "image-text-to-text", architecture: "qwen3", parameters: 4e9 },
          trainContextSize: 32_768,
          quantizations: [
            ["Q4_K_M", 450],
            ["Q8_0", 850],
            ["F16", 1650],
          ].map(([label, sizeBytes]) => ({
            ...{ pullName: `hf:a/b:${label}`, label, sizeBytes, hasProjector: true },
          })),
        },
      ],
    });
    const url = new URL(hub.requests[0]?.target ?? "", hub.origin);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      ...{ search: "qwen & co", filter: "gguf", sort: "downloads", direction: "-1", limit: "3" },
    });
  });

  test("names files of the same quantisation by their paths", async () => {
    const { found } = await searchAt(named("a/b"), {
      "a/b": { siblings: [file("x/b-Q8_0.gguf", 1), file("y/b-Q8_0.gguf", 2), file("b.gguf", 3)] },
    });
    expect(one((await found).repositories)?.map(({ pullName }) => pullName)).toEqual([
      "hf:a/b/x/b-Q8_0.gguf",
      "hf:a/b/y/b-Q8_0.gguf",
      "hf:a/b/b.gguf",
    ]);
  });

  test("sends the token of pulls, and no header without one", async () => {
    const descriptions = { "a/b": { siblings: [file("b-Q8_0.gguf")] } };
    for (const [token, header] of [
      ["hf_secret", "Bearer hf_secret"],
      ["", undefined],
    ] as const) {
      const { hub, found } = await searchAt(named("a/b"), descriptions, { token });
      await found;
      expect(hub.requests.map(({ headers }) => headers.authorization)).toEqual([header, header]);
    }
  });

  test("keeps the order of the hub, leaves out repositories without models, and reports undescribed ones", async () => {
    const { hub, found } = await searchAt(named("a/slow", "a/empty", "a/gone", "a/beyond"), {
      "a/slow": (response) =>
        setTimeout(() => sendJson(response, { siblings: [file("s-Q8_0.gguf")] }), 50),
      "a/empty": { siblings: [file("README.md")] },
    });
    const { repositories } = await found;
    expect(repositories.map(({ name, quantizations }) => [name, quantizations?.length])).toEqual([
      ["a/slow", 1],
      ["a/gone", undefined],
    ]);
    expect(hub.requests.filter(({ target }) => target.includes("beyond"))).toEqual([]);
  });

  test("returns what is described within the time limit", async () => {
    const { found } = await searchAt(
      named("a/b", "a/silent"),
      { "a/b": { siblings: [file("b-Q8_0.gguf")] }, "a/silent": () => undefined },
      { limitMs: 150 },
    );
    expect((await found).repositories.map(({ quantizations }) => quantizations?.length)).toEqual([
      1,
      undefined,
    ]);
  });

  test.each<[string, unknown[] | Answer, RegExp]>([
    ["that is silent", () => undefined, /expected an answer within 0\.1 s, got none/],
    ["that is overloaded", (response) => sendStatus(response, 503), /the server answered 503/],
    ["that rejects", (response) => sendStatus(response, 400), /the server answered 400/],
    ["that is no hub", (response) => response.end("<html>"), /expected JSON/],
    ["with another answer", (response) => sendJson(response, { error: "x" }), /expected a list/],
    [
      "with a huge answer",
      (response) => response.end(`[${" ".repeat(1024 * 1024)}]`),
      /at most 1048576 bytes/,
    ],
    ["that closes the connection", (response) => response.destroy(), /127\.0\.0\.1/],
  ])("fails at a hub %s", async (hub, list, message) => {
    const limitMs = hub === "that is silent" ? 100 : 5000;
    const { found } = await searchAt(list, {}, { limitMs });
    await expect(found).rejects.toMatchObject({
      name: "ModelError",
      message: expect.stringMatching(message),
    });
  });

  test("ignores hostile names and values", async () => {
    const { hub, found } = await searchAt(
      [...named("../../admin", "a/b?x=/", "a/b/c", 5, "a b/c", "hf:a/b", "a/b"), null, "a/c"],
      {
        "a/b": {
          ...{ downloads: -1, likes: "many", gated: { x: 1 }, pipeline_tag: "x".repeat(5000) },
          ...{ cardData: { license: ["a"] }, gguf: "none", tags: [1, "license:\u202emit"] },
          siblings: [
            ...[file("../up-Q8_0.gguf"), file("/etc/x-Q8_0.gguf"), file(7), null, "b-Q8_0.gguf"],
            ...[file("b-Q8_0.gguf", -5), file("b-Q4_0.gguf", 1e300), file("n\u0000-Q8_0.gguf")],
            file("b-Q5_0.gguf", 5),
          ],
        },
      },
    );
    expect((await found).repositories).toEqual([
      {
        ...{ name: "a/b", downloads: 0, likes: 0, license: undefined, isGated: false },
        ...{ task: undefined, architecture: undefined, parameters: undefined },
        trainContextSize: undefined,
        quantizations: [
          { pullName: "hf:a/b:Q5_0", label: "Q5_0", sizeBytes: 5, hasProjector: false },
        ],
      },
    ]);
    expect(hub.requests.map(({ target }) => target.split("?")[0])).toEqual([
      "/api/models",
      "/api/models/a/b",
    ]);
  });

  test("ends with its client", async () => {
    const controller = new AbortController();
    const { found } = await searchAt(
      () => controller.abort(new Error("gone")),
      {},
      {
        signal: controller.signal,
      },
    );
    await expect(found).rejects.toThrow("gone");
  });
});
