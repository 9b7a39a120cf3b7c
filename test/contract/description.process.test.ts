import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { breakingChanges, brokenPromises } from "./breaking-changes.js";
import {
  copyUrl,
  printDocument,
  printTypes,
  promisedDocument,
  servedDocument,
} from "./description-files.js";
import type { OpenApiDocument } from "./open-api-document.js";

const renew = "is stale: `npm run openapi` renews it";

describe("the published API description", () => {
  it("equals the served description", async () => {
    expect(await readFile(copyUrl, "utf8"), renew).toBe(printDocument(servedDocument()));
  });

  it("is compatible with the served description", async () => {
    const served = servedDocument();
    expect(await brokenPromises((await promisedDocument()) ?? served, served)).toEqual([]);
  });

  it("can be used to generate types", async () => {
    const promised = (await promisedDocument()) ?? {};
    const types = await printTypes(promised);
    for (const path of Object.keys(promised.paths ?? {})) expect(types).toContain(`"${path}": {`);
  });
});

describe("a change of the API description", () => {
  /** Returns the breaking changes caused by a modification of the served description. */
  function breaksWhen(change: (document: Changeable) => void): Promise<string[]> {
    const changed = structuredClone(servedDocument()) as unknown as Changeable;
    change(changed);
    return breakingChanges(servedDocument(), changed as unknown as OpenApiDocument);
  }

  it("that removes anything is reported as breaking, once for each shared schema", async () => {
    const broken = await breaksWhen(({ paths, components: { schemas } }) => {
      delete paths["/health/live"];
      delete paths["/v1/todos"]?.get?.responses["304"];
      delete paths["/v1/todos"]?.post?.responses["201"]?.headers?.Location;
      delete schemas.Todo?.properties?.completed;
      schemas.ChatMessage?.oneOf?.pop();
    });
    expect(broken).toEqual([
      "#/paths/~1health~1live: Path `/health/live` was removed.",
      "#/paths/~1v1~1chat~1completions/post/requestBody/content/application~1json/schema/properties/messages/items/oneOf/3: `oneOf` subschema of `ChatMessage` was removed.",
      "#/paths/~1v1~1todos/get/responses/200/content/application~1json/schema/properties/data/items/properties/completed: Property `completed` of `Todo` was removed.",
      "#/paths/~1v1~1todos/get/responses/304: Response `304` was removed.",
      "#/paths/~1v1~1todos/post/responses/201/headers/Location: Response header `Location` was removed.",
    ]);
  });

  it("that restricts what clients may send is reported as breaking", async () => {
    const broken = await breaksWhen(({ paths, components: { schemas } }) => {
      schemas.ChatCompletionRequest?.required?.push("model");
      const { title } = schemas.NewTodo?.properties ?? {};
      if (title !== undefined) title.maxLength = 100;
      const { seed } = schemas.ChatCompletionRequest?.properties ?? {};
      if (seed !== undefined) seed.type = "integer";
      const list = paths["/api/todos"]?.get;
      if (list !== undefined) list.security = [{ bearer: [] }];
    });
    expect(broken).toEqual([
      "#/paths/~1api~1todos/get/security/0: Authentication became required.",
      "#/paths/~1v1~1chat~1completions/post/requestBody/content/application~1json/schema: Properties of `ChatCompletionRequest` became required: `model`.",
      "#/paths/~1v1~1chat~1completions/post/requestBody/content/application~1json/schema/properties/seed: Type of `seed` narrowed from 'integer | null' to 'integer'.",
      "#/paths/~1v1~1todos/post/requestBody/content/application~1json/schema/properties/title: `maxLength` of `title` changed from '10000' to '100'.",
    ]);
  });

  it("that changes responses incompatibly is reported as breaking", async () => {
    const broken = await breaksWhen(({ components: { schemas } }) => {
      schemas.ChatCompletionEvent?.anyOf?.push({ type: "string" });
      const { completed } = schemas.Todo?.properties ?? {};
      if (completed !== undefined) completed.type = "string";
    });
    expect(broken).toEqual([
      "#/paths/~1v1~1chat~1completions/post/responses/200/content/text~1event-stream/schema/anyOf/2: `anyOf` subschema of `ChatCompletionEvent` was added.",
      "#/paths/~1v1~1todos/get/responses/200/content/application~1json/schema/properties/data/items/properties/completed: Type of `completed` widened from 'boolean' to 'string'.",
    ]);
  });

  it("that adds a route, a response field or an optional parameter is compatible", async () => {
    const broken = await breaksWhen(({ paths, components: { schemas } }) => {
      paths["/v2/todos"] = {};
      const properties = schemas.Todo?.properties;
      if (properties !== undefined) properties.due_at = { type: "string" };
      paths["/v1/todos"]?.get?.parameters?.push({ in: "query", name: "due", schema: {} });
    });
    expect(broken).toEqual([]);
  });

  it("may be incompatible in a new API version", async () => {
    const next = structuredClone(servedDocument()) as unknown as Changeable;
    next.info["x-api-version"] = "v2";
    next.paths = {};
    expect(await brokenPromises(servedDocument(), next as unknown as OpenApiDocument)).toEqual([]);
  });
});

interface ChangeableSchema {
  type?: string | string[];
  maxLength?: number;
  required?: string[];
  properties?: Record<string, ChangeableSchema>;
  anyOf?: ChangeableSchema[];
  oneOf?: ChangeableSchema[];
}

interface ChangeableOperation {
  security?: object[];
  parameters?: object[];
  responses: Record<string, { headers?: Record<string, object> }>;
}

/** The parts of the description that the changes above modify. */
interface Changeable {
  info: Record<string, string>;
  paths: Record<string, Partial<Record<"get" | "post", ChangeableOperation>>>;
  components: { schemas: Record<string, ChangeableSchema> };
}
