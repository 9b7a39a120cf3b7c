import { afterAll, describe, expect, test } from "vitest";
import { routeGroups } from "../../src/serve/routes.js";
import { formPayload } from "../support/form-payload.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storedModel } from "../support/scripted-library.js";
import { servedModel } from "../support/served-model.js";
import { someAdapter } from "../support/some-adapter.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { ALIAS, buildTestApp } from "../support/test-app.js";

const ADAPTER = "hidden-adapter";
const FULL = "full-key";

const ok = () => ({ parts: ["ok"] });
const engine = new ScriptedEngine(ok, {
  contextSize: 10_000,
  rawScript: ok,
  media: ["audio"],
  adapters: [someAdapter(ADAPTER)],
});
const { app, library } = buildTestApp(engine, {
  todos: storeInMemory(),
  keyLines: [
    `${FULL} name=full`,
    "models-key name=a models=visible*",
    "adapters-key name=b adapters=none",
  ],
  otherModels: [servedModel("visible-model")],
});
// Changes of stored models are not the subject.
library.pull = library.copy = library.make = async () => storedModel("made");
library.remove = async () => undefined;
library.beginPull = () => undefined;
await app.ready();
// Ends requests that never complete.
app.drain();
afterAll(() => app.close());

/** Fields of bodies that name a model or an adapter. */
const NAME_FIELDS = ["model", "name", "from", "source", "base_model_name", "lora_name"];

type Example = Readonly<Record<string, unknown>>;

interface RouteCase {
  readonly title: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly example: Example;
  readonly bodyType: string | undefined;
}

const routes: readonly RouteCase[] = routeGroups.flatMap(({ prefix = "", routes: ofGroup }) =>
  ofGroup
    // Metrics are for operators, and have labels of all models.
    .filter(({ access, path }) => access.needs !== "nothing" && path !== "/metrics")
    .map(({ method, path, bodyType, description }) => {
      const { requestBody } = description;
      const content = requestBody && "content" in requestBody ? requestBody.content : {};
      const { example, examples = {} } = content["application/json"] ?? {};
      const [named] = Object.values(examples) as { readonly value?: Example }[];
      return {
        title: `${method} ${prefix}${path}`,
        method,
        path: prefix + path,
        example: (example ?? named?.value ?? {}) as Example,
        bodyType,
      };
    }),
);

async function send(route: RouteCase, name: string, key: string) {
  const { method, path, example, bodyType } = route;
  const rename = (fields: Example): Example => {
    const renamed = NAME_FIELDS.filter((field) => field === "model" || field in fields);
    return { ...fields, ...Object.fromEntries(renamed.map((field) => [field, name])) };
  };
  const { instances } = example;
  const fields = {
    ...rename(example),
    ...(Array.isArray(instances) && { instances: instances.map(rename) }),
  };
  const form =
    bodyType === undefined
      ? undefined
      : await formPayload({ model: name, file: new Blob([new Uint8Array(100)]), purpose: "batch" });
  return app.inject({
    method,
    url: `${path.replaceAll(/\{\w+\}/g, name)}?model=${name}`,
    headers: { "x-api-key": key, ...form?.headers },
    ...(method !== "GET" && { payload: form ? (form.payload as Buffer) : fields }),
  });
}

/** The answer without the name and without parts that differ between equal requests. */
async function answerTo(route: RouteCase, name: string, key: string): Promise<string> {
  const { statusCode, body } = await send(route, name, key);
  const text = body
    .replaceAll(name, "NAME")
    .replaceAll(/[a-z]{3,}[_-][\w-]{12,}/g, "ID")
    .replaceAll(/\d+/g, "0");
  return `${statusCode} ${text}`;
}

describe.each([
  // Names that are equally long, and similar to no visible name.
  { hidden: ALIAS, unknown: "xyzxyzxy", key: "models-key", of: "a model" },
  { hidden: ADAPTER, unknown: "xyzxyzxyzxyzxy", key: "adapters-key", of: "an adapter" },
])("$of that a key may not use", ({ hidden, unknown, key }) => {
  const distinguishing: string[] = [];

  test.each(routes)("is like an unknown name to $title", async (route) => {
    const withFullKey = await answerTo(route, hidden, FULL);
    if (withFullKey !== (await answerTo(route, unknown, FULL))) distinguishing.push(route.title);
    const started = engine.started.length;
    expect(await answerTo(route, hidden, key)).toBe(await answerTo(route, unknown, key));
    expect(engine.started).toHaveLength(started);
  });

  test("differs from an unknown name for a key that may use it", () => {
    expect(distinguishing).toEqual(
      expect.arrayContaining([
        "POST /v1/chat/completions",
        "POST /v1/completions",
        "POST /v1/responses",
        "POST /v1/messages",
        "POST /v1/embeddings",
        "POST /v1/rerank",
        "POST /api/chat",
        "POST /api/generate",
        "POST /api/show",
        "POST /completion",
        "POST /infill",
        "POST /tokenize",
        "POST /predict",
        "GET /v1/models/{id}",
        "GET /props",
        "GET /slots",
      ]),
    );
    expect(distinguishing.length).toBeGreaterThan(30);
  });

  test.each(routes.filter(({ method, path }) => method === "GET" && !path.includes("{")))(
    "is not in the answer to $title",
    async (route) => {
      const { body } = await app.inject({ url: route.path, headers: { "x-api-key": key } });
      expect(body).not.toContain(hidden);
    },
  );
});

test("lists contain the models that a key may use", async () => {
  const list = async (url: string, key: string) =>
    (await app.inject({ url, headers: { "x-api-key": key } })).json();
  const ids = async (key: string) =>
    (await list("/v1/models", key)).data.map(({ id }: { id: string }) => id);
  expect(await ids(FULL)).toEqual([ADAPTER, ALIAS, "visible-model"]);
  expect(await ids("models-key")).toEqual(["visible-model"]);
  expect(await ids("adapters-key")).toEqual([ALIAS, "visible-model"]);
  expect((await list("/api/tags", "models-key")).models).toMatchObject([
    { name: "visible-model:latest" },
  ]);
  expect(await list("/lora-adapters", FULL)).toMatchObject([{ task_name: ADAPTER }]);
  expect(await list("/lora-adapters", "adapters-key")).toEqual([]);
  expect((await list("/v1/models", "models-key")).default_model).toBe("visible-model");
});
