import { describe, expect, it } from "vitest";
import type { KeyObject } from "../../../src/api/keys/answer.js";
import { toAuditObject } from "../../../src/api/keys/answer.js";
import { scopes } from "../../../src/core/api-keys.js";
import type { StoredKey } from "../../../src/keys/stored-key.js";
import {
  describeEntry,
  describeSource,
  listChanges,
  listFacts,
  SCOPES,
  stateOf,
} from "../../../src/page/keys/key-text.js";

const key: KeyObject = {
  ...{ id: "alice", object: "api_key", name: "alice", source: "store" },
  ...{ redacted_value: "ggufd_...abcd", created_at: 100, created_by: "root", last_used_at: null },
  ...{ expires_at: null, previous_value_expires_at: null, disabled: false },
  ...{ scopes: ["inference", "todos"], access: "full", requests_per_minute: 60, weight: 1 },
  ...{ tokens_per_minute: null, max_context: 4096 },
};
const formatTime = (seconds: number) => `at ${seconds}`;

describe("the texts about an API key", () => {
  it("describe every scope", () => {
    expect(Object.keys(SCOPES)).toEqual([...scopes]);
  });

  it.each([
    [{}, "enabled"],
    [{ disabled: true }, "disabled"],
    [{ expires_at: 1000 }, "expired"],
    [{ expires_at: 1001 }, "enabled"],
    [{ expires_at: 1000, disabled: true }, "disabled"],
  ])("describe the state of %j", (fields, state) => {
    expect(stateOf({ ...key, ...fields }, 1000)).toBe(state);
  });

  it("name the source", () => {
    const sources = ["store", "file", "flag"] as const;
    expect(sources.map((source) => describeSource({ source }))).toEqual([
      ...["managed here", "key file", "configuration"],
    ]);
  });

  it("list the properties that differ from their defaults, also of unknown attributes", () => {
    expect(listFacts({ ...key, expires_at: 200 }, formatTime)).toEqual([
      ["Value", "ggufd_...abcd"],
      ["Scopes", "inference, todos"],
      ["Requests per minute", "60"],
      ["Max context", "4096"],
      ["Created", "at 100 by root"],
      ["Expires", "at 200"],
    ]);
  });

  it("describe changes", () => {
    const stored: StoredKey = {
      ...{ name: "alice", sha256: "", ending: "abcd", former: [], attributes: {} },
      ...{ state: "enabled", createdAt: 0, createdBy: "root" },
    };
    const attributes = { concurrent: "4", scopes: "todos,inference" };
    const entry = toAuditObject({
      ...{ number: 2, at: "2026-01-01T00:00:00.000Z", by: "root", from: "::1", action: "update" },
      ...{
        name: "alice",
        before: { ...stored, expiresAt: 5000 },
        after: { ...stored, attributes },
      },
    });
    expect(describeEntry(entry)).toBe("root changed alice");
    expect(listChanges(entry)).toEqual([
      "Expires at: 5 → none",
      "Scopes: todos, inference",
      "Concurrent: 4",
    ]);
  });
});
