import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { breakingChanges, brokenPromises, type OpenApiDocument } from "./additive.js";
import {
  copyUrl,
  printDocument,
  printTypes,
  promisedDocument,
  servedDocument,
  typesUrl,
} from "./description-files.js";

const renew = "is stale: `npm run openapi` renews it";

describe("the copy of the description", () => {
  it("is what the server says", async () => {
    expect(await readFile(copyUrl, "utf8"), renew).toBe(printDocument(servedDocument()));
  });

  it("is kept: what was promised is still there", async () => {
    const served = servedDocument();
    expect(brokenPromises((await promisedDocument()) ?? {}, served)).toEqual([]);
  });

  it("has its types beside it", async () => {
    const promised = (await promisedDocument()) ?? {};
    expect(await readFile(typesUrl, "utf8"), renew).toBe(await printTypes(promised));
  });
});

describe("a change of the real description", () => {
  /** What breaks when something in the description is changed. */
  function breaksWhen(change: (document: Changeable) => void): string[] {
    const changed = structuredClone(servedDocument()) as unknown as Changeable;
    change(changed);
    return breakingChanges(servedDocument(), changed as unknown as OpenApiDocument);
  }

  it("that is none breaks nothing", () => {
    expect(breaksWhen(() => {})).toEqual([]);
  });

  it("removes a field of an item, wherever it is answered", () => {
    const broken = breaksWhen(({ components }) => {
      delete components.schemas.Todo?.properties?.completed;
    });
    expect(broken).toContain("GET /v1/todos: response 200: property data[].completed was removed");
    expect(broken).toContain("POST /v1/todos: response 201: property completed was removed");
    expect(broken).toHaveLength(5);
  });

  it("asks for a field that could be left out", () => {
    const broken = breaksWhen(({ components }) => {
      components.schemas.ChatCompletionRequest?.required?.push("model");
    });
    expect(broken).toEqual(["POST /v1/chat/completions: request: property model became required"]);
  });

  it("takes shorter titles", () => {
    const broken = breaksWhen(({ components }) => {
      const { title } = components.schemas.NewTodo?.properties ?? {};
      if (title !== undefined) title.maxLength = 100;
    });
    expect(broken).toEqual([
      "POST /v1/todos: request: maxLength of property title went from 10000 to 100",
    ]);
  });

  it("takes no null any more", () => {
    const broken = breaksWhen(({ components }) => {
      const { seed } = components.schemas.ChatCompletionRequest?.properties ?? {};
      if (seed !== undefined) seed.type = "integer";
    });
    expect(broken).toEqual([
      "POST /v1/chat/completions: request: the type of property seed was narrowed from integer or null to integer",
    ]);
  });

  it("takes no messages of tools any more", () => {
    const broken = breaksWhen(({ components }) => {
      components.schemas.ChatMessage?.oneOf?.pop();
    });
    expect(broken).toEqual([
      "POST /v1/chat/completions: request: property messages[] takes no longer ToolMessage",
    ]);
  });

  it("adds to what a stream may hold", () => {
    const broken = breaksWhen(({ components }) => {
      components.schemas.ChatCompletionEvent?.anyOf?.push({ type: "string" });
    });
    expect(broken).toEqual([
      "POST /v1/chat/completions: response 200: text/event-stream: the type of the value was widened from object to object or string",
      'POST /v1/chat/completions: response 200: text/event-stream: the value may now be {"type":"string"}',
    ]);
  });

  it("removes a route, a status, a header", () => {
    const broken = breaksWhen(({ paths }) => {
      delete paths["/health/live"];
      delete paths["/v1/todos"]?.get?.responses["304"];
      delete paths["/v1/todos"]?.post?.responses["201"]?.headers?.Location;
    });
    expect(broken).toEqual([
      "GET /v1/todos: response 304 was removed",
      "POST /v1/todos: response 201: header location was removed",
      "/health/live was removed",
    ]);
  });

  it("asks for a key where none was needed", () => {
    const broken = breaksWhen(({ paths }) => {
      const list = paths["/api/todos"]?.get;
      if (list !== undefined) list.security = [{ bearer: [] }];
    });
    expect(broken).toEqual(["GET /api/todos: security: no key is not enough any more"]);
  });

  it("may do all that in another version", () => {
    const next = structuredClone(servedDocument()) as unknown as Changeable;
    next.info["x-api-version"] = "v2";
    next.paths = {};
    expect(brokenPromises(servedDocument(), next as unknown as OpenApiDocument)).toEqual([]);
  });

  it("may add a route, a field of an answer, a parameter", () => {
    const broken = breaksWhen(({ paths, components }) => {
      paths["/v2/todos"] = {};
      const properties = components.schemas.Todo?.properties;
      if (properties !== undefined) properties.due_at = { type: "string" };
      paths["/v1/todos"]?.get?.parameters?.push({ in: "query", name: "due", schema: {} });
    });
    expect(broken).toEqual([]);
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

/** As much of the description as the changes above touch. */
interface Changeable {
  info: Record<string, string>;
  paths: Record<string, Partial<Record<"get" | "post", ChangeableOperation>>>;
  components: { schemas: Record<string, ChangeableSchema> };
}
