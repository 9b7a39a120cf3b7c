import { expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";
import { requestKinds } from "./requests.js";

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { requestBody?: object }>>>>;
}

/** Requests that are not objects; separate tests cover their errors. */
const LISTS = ["POST /lora-adapters"];

/** Requests that are read element by element; separate tests cover their errors. */
const LONG = ["POST /v1/messages/batches"];

/** Requests that are forms; the generators write JSON. */
const FORMS = ["POST /v1/audio/transcriptions", "POST /v1/audio/translations", "POST /v1/files"];

it("every operation with a request body is in the table of generated requests", async () => {
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })));
  const { paths } = (await app.inject("/openapi.json")).json<Description>();
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) =>
      requestBody === undefined ? [] : [`${method.toUpperCase()} ${path}`],
    ),
  );
  const lines = requestKinds.map(
    ({ method, url }) =>
      `${method} ${url.replace(/\?.*/, "").replace(/\/(?:1|\{conversation\}|\{key\})(?=\/|$)/, "/{id}")}`,
  );
  expect([...lines, ...LISTS, ...LONG, ...FORMS].toSorted()).toEqual(described.toSorted());
});
