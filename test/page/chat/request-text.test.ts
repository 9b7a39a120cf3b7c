import { describe, expect, it } from "vitest";
import type { StoredItem } from "../../../src/api/responses/item-schema.js";
import {
  buildRequest,
  formatCurl,
  formatRequest,
  shortenUrls,
} from "../../../src/page/chat/request-text.js";
import { message } from "./answers.js";

const question = (text: string) =>
  ({
    ...{ type: "message", id: "msg_1", role: "user", status: "completed" },
    content: [{ type: "input_text", text }],
  }) as StoredItem;

describe("the request of an answer", () => {
  it("has the fields of the conversation, and the items without the server's fields", () => {
    const answer = { ...message("Hi."), response: { id: "resp_1" } } as unknown as StoredItem;
    const fields = { model: "small", instructions: "Be brief.", top_k: 7 };
    expect(buildRequest([question("Hi"), answer, question("On")], fields)).toEqual({
      ...fields,
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "On" }] },
      ],
    });
  });

  it("has approvals with the requests that they refer to, and the status of calls", () => {
    const called = { server_label: "files", name: "read", arguments: "{}" };
    const request = { type: "mcp_approval_request", id: "mcpr_1", ...called };
    const approval = {
      type: "mcp_approval_response",
      approval_request_id: "mcpr_1",
      approve: true,
    };
    const call = { type: "mcp_call", status: "incomplete", ...called };
    const items = [request, { ...approval, id: "mcpa_1" }, { ...call, id: "mcp_1" }];
    expect(buildRequest(items as unknown as StoredItem[], {}).input).toEqual([
      request,
      approval,
      call,
    ]);
  });

  it("is a command line that a shell reads back", () => {
    const request = { input: "It's $HOME" };
    const server = { origin: "http://localhost:8080/llm", hasKey: true };
    expect(formatCurl(request, server)).toBe(
      [
        "curl http://localhost:8080/llm/v1/responses \\",
        '  -H "Authorization: Bearer $GGUFD_API_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d '{\n  "input": "It'\\''s $HOME"\n}'`,
      ].join("\n"),
    );
    expect(formatCurl(request, { ...server, hasKey: false })).not.toContain("GGUFD_API_KEY");
  });

  it("is shown without the data of images", () => {
    const url = `data:image/png;base64,${"A".repeat(2000)}`;
    const text = formatRequest({ image_url: url, small: "data:image/png;base64,AAAA" });
    const shown = shortenUrls(text);
    expect(shown).toContain("data:image/png;base64,… (2,022 characters)");
    expect(shown).toContain("data:image/png;base64,AAAA");
  });
});
