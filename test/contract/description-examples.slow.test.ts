import { describe, expect, it } from "vitest";
import { servedDocument } from "./description-files.js";
import { pointerTo, schemasOf } from "./json-schemas.js";
import { isNode, type Node } from "./open-api-document.js";

const document = servedDocument();
const schemaAt = schemasOf(document);

/** Example next to a schema, or inside one. */
interface Example {
  readonly place: string;
  readonly schema: string;
  readonly value: unknown;
}

function examplesIn(node: unknown, keys: readonly string[] = []): Example[] {
  if (Array.isArray(node)) {
    return node.flatMap((item, index) => examplesIn(item, [...keys, String(index)]));
  }
  if (!isNode(node)) return [];
  const schema = pointerTo(...keys, ...(isNode(node.schema) ? ["schema"] : []));
  const own = valuesOf(node).map((value) => ({ place: pointerTo(...keys), schema, value }));
  const inner = Object.entries(node)
    .filter(([key]) => key !== "example" && key !== "examples")
    .flatMap(([key, value]) => examplesIn(value, [...keys, key]));
  return [...own, ...inner];
}

function valuesOf({ example, examples }: Node): unknown[] {
  const listed = isNode(examples) ? Object.values(examples) : [];
  const values = listed.flatMap((item) => (isNode(item) && "value" in item ? [item.value] : []));
  return example === undefined ? values : [example, ...values];
}

describe("the examples of the description", () => {
  it("match their schemas", () => {
    const examples = examplesIn(document);
    expect(examples.length).toBeGreaterThan(200);
    const wrong = examples.flatMap(({ place, schema, value }) =>
      schemaAt(schema)(value).map((fault) => `${place}: ${fault}`),
    );
    expect(wrong).toEqual([]);
  });

  it("exist for every request and response body", () => {
    const without: string[] = [];
    const visit = (node: unknown, keys: readonly string[]) => {
      if (!isNode(node)) return;
      for (const [key, value] of Object.entries(node)) {
        const isMedia = keys.at(-1) === "content" && isNode(value) && value.schema !== undefined;
        if (isMedia && valuesOf(value).length === 0) without.push(pointerTo(...keys, key));
        visit(value, [...keys, key]);
      }
    };
    visit(document, []);
    expect(without).toEqual([]);
  });
});

describe("the schema of a chat completion request", () => {
  const request = schemaAt(pointerTo("components", "schemas", "ChatCompletionRequest"));
  const messages = [{ role: "user", content: "Hi" }];

  it.each([
    { messages },
    { messages, model: null, temperature: null, stop: null, tools: null, stream_options: null },
    { messages: [{ role: "assistant", content: null, tool_calls: null }] },
    { messages, max_tokens: -1, unknown: 1 },
  ])("accepts %j", (body) => {
    expect(request(body)).toEqual([]);
  });

  it.each([
    {},
    { messages: [] },
    { messages: [{ role: "user", content: null }] },
    { messages, max_tokens: 0 },
    { messages, temperature: 3 },
    { messages, tool_choice: "sometimes" },
  ])("rejects %j", (body) => {
    expect(request(body)).not.toEqual([]);
  });
});
