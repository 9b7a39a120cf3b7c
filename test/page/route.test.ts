import { describe, expect, it } from "vitest";
import { parseRoute, toHash } from "../../src/page/route.js";

describe("the URL fragment", () => {
  it.each([
    ["#/chat", { view: "chat" }],
    ["#/chat/conv_1b-2", { view: "chat", id: "conv_1b-2" }],
    ["#/batches", { view: "batches" }],
    ["#/usage", { view: "usage" }],
    ["#/models", { view: "models" }],
  ] as const)("selects the view: %s", (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
    expect(toHash(route)).toBe(hash);
  });

  it.each(["", "#", "#main", "#/", "#/nowhere", "#/chat/<b>", "#/chat/a/b"])(
    "selects the chat by default: %s",
    (hash) => {
      expect(parseRoute(hash)).toEqual({ view: "chat" });
    },
  );
});
