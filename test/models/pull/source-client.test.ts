import { describe, expect, test } from "vitest";
import { resolveRedirect, toConnectionFailure } from "../../../src/models/pull/source-client.js";

describe("a redirect", () => {
  test.each([
    ["https://hub.example/a", "/b", "https://hub.example/b"],
    ["https://hub.example/a", "https://cdn.example/b?signed", "https://cdn.example/b?signed"],
    ["http://hub.example/a", "https://hub.example/a", "https://hub.example/a"],
    ["http://hub.example/a", "http://cdn.example/a", "http://cdn.example/a"],
    ["https://localhost/a", "http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"],
    ["https://hub.example/a", "https://u:p@cdn.example/b", "https://cdn.example/b"],
  ])("from %s to %s leads to %s", (from, location, expected) => {
    expect(resolveRedirect(new URL(from), location, "m").href).toBe(expected);
  });

  test.each([
    ["https://hub.example/a", "http://cdn.example/a", "one to http://cdn.example"],
    ["https://hub.example/a", "http://127.0.0.1/a", "one to http://127.0.0.1"],
    ["https://hub.example/a", "file:///etc/passwd", "file:"],
    ["https://hub.example/a", "https://", "https://"],
    ["https://hub.example/a", undefined, "one without"],
  ])("from %s to %s is refused", (from, location, got) => {
    const follow = () => resolveRedirect(new URL(from), location, "m");
    expect(follow).toThrow(/^m: expected a redirect /);
    expect(follow).toThrow(`, got ${got}`);
  });
});

describe("a connection failure", () => {
  const failing = (code: string, message = "") => Object.assign(new Error(message), { code });

  test.each(["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_TLS_CERT_ALTNAME_INVALID"])(
    "is permanent if the server's certificate is invalid: %s",
    (code) => {
      expect(toConnectionFailure("m", failing(code, "who are you"))).toMatchObject({
        code: "source_unavailable",
        message: "m: who are you",
      });
    },
  );

  test.each([
    ["ECONNRESET", "read ECONNRESET", "read ECONNRESET"],
    // Several addresses have failed, each with a separate message.
    ["ECONNREFUSED", "", "ECONNREFUSED"],
  ])("is temporary otherwise: %s", (code, message, reason) => {
    expect(toConnectionFailure("m", failing(code, message))).toMatchObject({
      name: "TransientFailure",
      message: reason,
    });
  });
});
