import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseBody } from "../../../src/validation/parse-body.js";
import { fieldsOf, requestNodeOf } from "../../support/requests/request-node.js";
import { validRequestWith } from "../../support/requests/valid-value.js";
import { AnsweringApp } from "./answering-app.js";
import { type RequestKind, requestKinds } from "./requests.js";

/** Runs per field. */
const RUNS = 3;

/**
 * Reasons to refuse a request whose fields are all valid: rules across fields, and missing objects.
 */
const RULES: readonly RegExp[] = [
  /which is not supported( yet)?[.:]/,
  /: expected no value in addition to /,
  /: expected one constraint, got /,
  /: expected the (name|type) of one of the (tools|functions)( of type \w+)?, got /,
  /: expected at least one tool, because tool_choice requires a call/,
  /: expected a JSON schema, or its text: /,
  /json_schema: expected an object with a schema, got nothing/,
  /: expected (a final|at most one) assistant message /,
  /: expected (true|false), (because|unless) /,
  /: expected logprobs to be true as well/,
  /: expected (at least n|n), which is /,
  /: expected (none with|false: the text of) token ids/,
  /: expected none with echo/,
  /: expected the call_id of a \w+_call before it, got /,
  /: expected the id of an mcp_approval_request of the conversation as approval_request_id, got /,
  /: expected a tool of an MCP server among the request's tools, got /,
  /: expected names that differ, got /,
  /^name: expected a name that no other key has, got /,
  /samplers\.\d+: expected (one of penalties, |one of e, |each sampler at most once)/,
  /lora\.\d+\.id: expected no adapter, because the model has none, got /,
  /id_slot: expected an integer from -1 to \d+, got /,
  /: expected (base64|a file), got /,
  /: expected data:TYPE;base64,CONTENT, (because this server fetches nothing|got )/,
  /: expected at most \d+ (bytes|images and pieces of audio)/,
  /: expected UTF-8 text, such as /,
  /: expected (none|text) in a message of the role /,
  /^expires_at: expected a time in the future/,
  /^group: expected a group of the key file/,
  /^name: expected a name that no other key has/,
  /: expected as many files as markers /,
  /: expected the marker \[img-\d+\] of this image in prompt/,
  /: expected (a tool|tools) that the model can call, got /,
  /: expected the encrypted_content of a response of this server, got /,
  /^(model|from): expected .*, got nothing\.$/,
  /: expected a string or at least one item, because there is no earlier response/,
  /^(Item|Conversation|Previous response) with id '.*' not found/s,
];

let app: AnsweringApp;
beforeAll(async () => {
  app = await AnsweringApp.open();
});
afterAll(() => app.close());

function valid({ schema, needed }: RequestKind) {
  const node = requestNodeOf(schema);
  return fc
    .constantFrom(...fieldsOf(node))
    .chain((field) => validRequestWith(node, [...needed, field]))
    .map((body) => JSON.stringify(body));
}

const answeredKinds = requestKinds.filter(({ model }) => model === "served");

describe("a request with only valid fields", () => {
  it.each(answeredKinds)("succeeds or returns a client error: $method $url", async (kind) => {
    const numRuns = RUNS * fieldsOf(requestNodeOf(kind.schema)).length;
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(valid(kind), async (json) => {
        await parseBody(kind.schema, kind.prepare(JSON.parse(json)));
        const response = await app.send(kind, json);
        if (response.statusCode < 300) {
          answered++;
          return;
        }
        expect([400, 404, 409]).toContain(response.statusCode);
        const { message } = kind.refusal(response);
        expect(RULES.filter((rule) => rule.test(message))).not.toEqual([]);
      }),
      { numRuns },
    );
    expect(answered).toBeGreaterThan(numRuns / 10);
  });
});
