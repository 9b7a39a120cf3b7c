import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { withoutMedia } from "../../../src/telemetry/content-log/without-media.js";

const bytes = Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 7) % 256));
const hash = createHash("sha256").update(bytes).digest("hex");
const base64 = bytes.toString("base64");
const described = (type: string) => `[${type}, 600 bytes, sha256:${hash}]`;

describe("a logged body", () => {
  it.each([
    ["a data URL", `data:image/png;base64,${base64}`, described("image/png")],
    ["a data URL with parameters", `data:audio/wav;a=b;base64,${base64}`, described("audio/wav")],
    ["a data URL without a type", `data:;base64,${base64}`, described("file")],
    ["a long text in Base64", base64, described("file")],
    ["a long text in Base64 for URLs", bytes.toString("base64url"), described("file")],
    ["bytes", new Uint8Array(bytes), described("file")],
    ["a buffer", bytes, described("file")],
  ])("has the hash of %s", (_, media, expected) => {
    expect(withoutMedia({ messages: [{ content: [{ type: "x", url: media }] }] })).toEqual({
      messages: [{ content: [{ type: "x", url: expected }] }],
    });
  });

  it.each([
    "Hello",
    "data:text/plain,hello",
    base64.slice(0, 500),
    `${base64}!`,
    `${"word ".repeat(1000)}`,
    7,
    null,
    true,
    [1, [2]],
    {},
  ])("keeps %j", (value) => {
    expect(withoutMedia(value)).toEqual(value);
  });

  it("is a copy, which leaves the request unchanged", () => {
    const body = JSON.parse(`{"__proto__":{"a":1},"images":["${base64}"]}`);
    const copy = withoutMedia(body) as Record<string, unknown>;
    expect(body.images).toEqual([base64]);
    expect(Object.keys(copy)).toEqual(["__proto__", "images"]);
  });
});
