import { expect, it } from "vitest";
import { createId } from "../../../src/api/responses/create-id.js";

it("ids are unique, with a prefix for the type and 128 random bits", () => {
  const ids = Array.from({ length: 10_000 }, () => createId("msg"));
  for (const id of ids) expect(id).toMatch(/^msg_[0-9a-f]{32}$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(ids.map((id) => id.slice(-4))).size).toBeGreaterThan(8_000);
});
