import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { buildTestApp } from "../../support/test-app.js";

interface Description {
  readonly paths: Record<string, Record<string, { readonly responses?: object }>>;
  readonly components: Record<string, Record<string, object>>;
}

type Resolver = (document: Description, path: readonly string[], options: object) => unknown;

/** The part of a Swagger UI plugin that the page uses. */
interface Plugin {
  readonly fn: { readonly resolveSubtree: Resolver };
  readonly statePlugins: {
    readonly spec: {
      readonly wrapActions: {
        parseToJson(parse: unknown, system: object): (text: string) => unknown;
      };
    };
  };
}

const reference = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;

/** `KIND/NAME` of each component that a part of the document references. */
function referencesIn(part: unknown): string[] {
  const found = JSON.stringify(part).matchAll(reference);
  return [...new Set([...found].map(([, kind, name]) => `${kind}/${name}`))].toSorted();
}

const componentsOf = ({ components }: Description): string[] =>
  Object.entries(components)
    .flatMap(([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`))
    .toSorted();

describe("the script of the documentation page", () => {
  let document: Description;
  let outline: Description | undefined;
  let excerptOf: (path: readonly string[]) => Description;

  beforeAll(async () => {
    const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: ["ok"] })));
    const text = (await app.inject("/openapi.json")).body;
    const script = (await app.inject("/docs/initialiser.js")).body;
    document = JSON.parse(text);
    const resolveSubtree: Resolver = (excerpt) => excerpt;
    let plugin: Plugin | undefined;
    runInNewContext(script, {
      SwaggerUIBundle(options: { plugins: [(system: { fn: Plugin["fn"] }) => Plugin] }) {
        plugin = options.plugins[0]({ fn: { resolveSubtree } });
      },
    });
    const { fn, statePlugins } = plugin as unknown as Plugin;
    const specActions = {
      updateJsonSpec(json: Description) {
        outline = json;
      },
    };
    statePlugins.spec.wrapActions.parseToJson(undefined, { specActions })(text);
    excerptOf = (path) =>
      JSON.parse(JSON.stringify(fn.resolveSubtree(outline as Description, path, {})));
  });

  it("lists every operation, without its responses", () => {
    const withoutResponses = structuredClone(document);
    for (const operations of Object.values(withoutResponses.paths)) {
      for (const operation of Object.values(operations)) {
        delete (operation as { responses?: object }).responses;
      }
    }
    expect(JSON.parse(JSON.stringify(outline))).toEqual(withoutResponses);
  });

  it("resolves an operation to its path and exactly the components it references", () => {
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const method of Object.keys(operations)) {
        const excerpt = excerptOf(["paths", path, method]);
        expect(excerpt.paths).toEqual({ [path]: operations });
        expect(componentsOf(excerpt)).toEqual(referencesIn(excerpt));
      }
    }
  });

  it("resolves a schema with its references, and a whole section of components", () => {
    const schema = excerptOf(["components", "schemas", "ChatCompletionRequest"]);
    expect(schema.paths).toEqual({});
    expect(componentsOf(schema)).toContain("schemas/ChatCompletionRequest");
    expect(componentsOf(schema)).toEqual(expect.arrayContaining(referencesIn(schema)));
    for (const kind of ["schemas", "securitySchemes"]) {
      expect(excerptOf(["components", kind]).components[kind]).toEqual(document.components[kind]);
    }
  });
});
