import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AnsweringApp } from "./answering-app.js";
import { type RequestKind, requestKinds } from "./requests.js";

/** Generous limit for the length of an error response. */
const MAX_CHARACTERS = 2_000;

const long = "n".repeat(500_000);
const messages = [{ role: "user", content: "Hi" }];
const chat = { messages };
const message = { messages, max_tokens: 5 };
const output = { type: "function_call_output", call_id: long, output: "" };
const reference = { type: "item_reference", id: long };
const allowed = { mode: "auto", tools: [{ type: "function", name: long }] };

let app: AnsweringApp;
beforeAll(async () => {
  app = await AnsweringApp.open();
});
afterAll(() => app.close());

function kindAt(url: string): RequestKind {
  const kind = requestKinds.find((each) => each.url === url);
  if (kind === undefined) throw new Error(`there is no request at ${url}`);
  return kind;
}

describe("an error response does not repeat a name of several megabytes", () => {
  it.each([
    [
      "/v1/chat/completions",
      { ...chat, tool_choice: { type: "function", function: { name: long } } },
    ],
    ["/v1/chat/completions", { ...chat, function_call: { name: long } }],
    ["/v1/chat/completions", { ...chat, response_format: { type: long } }],
    ["/v1/chat/completions", { ...chat, logit_bias: { [long]: 1 } }],
    ["/v1/chat/completions", { ...chat, samplers: [long] }],
    ["/v1/chat/completions", { ...chat, guided_json: long }],
    ["/v1/responses", { input: "Hi", tool_choice: { type: "function", name: long } }],
    ["/v1/responses", { input: "Hi", tool_choice: { type: "allowed_tools", ...allowed } }],
    ["/v1/responses", { input: [output] }],
    ["/v1/responses", { input: [reference] }],
    ["/v1/responses", { input: "Hi", conversation: long }],
    ["/v1/responses", { input: "Hi", previous_response_id: long }],
    ["/v1/responses", { input: "Hi", metadata: { [long]: "" } }],
    ["/v1/conversations", { items: [reference] }],
    ["/v1/messages", { ...message, tool_choice: { type: "tool", name: long } }],
    ["/v1/messages", { ...message, tools: [{ type: long, name: "f" }] }],
    ["/api/chat", { messages, format: long }],
    ["/v1/todos", { title: "a", [long]: 1 }],
  ])("%s", async (url, body) => {
    const response = await app.send(kindAt(url), JSON.stringify(body));
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.body.length).toBeLessThan(MAX_CHARACTERS);
  });
});
