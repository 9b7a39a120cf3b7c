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
  it("has the settings, the model that answered, and the items without the server's fields", () => {
    const answer = { ...message("Hi."), response: { id: "resp_1" } } as unknown as StoredItem;
    const settings = { model: "large", instructions: "Be brief.", sampling: { top_k: 7 } };
    expect(buildRequest([question("Hi"), answer, question("On")], settings, "small")).toEqual({
      model: "small",
      instructions: "Be brief.",
      top_k: 7,
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hi." }] },
        { type: "message", role: "user", content: [{ type: "input_text", text: "On" }] },
      ],
    });
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
