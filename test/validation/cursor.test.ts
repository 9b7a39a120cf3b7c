import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { decodeCursor, encodeCursor } from "../../src/validation/pagination.js";
import { refusal } from "../support/refusal.js";

const anything = z.unknown();
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("a cursor", () => {
  test("decodes to the encoded position", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (scope, position) => {
        const cursor = encodeCursor(scope, position);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(decodeCursor(scope, cursor, anything)).toEqual(JSON.parse(JSON.stringify(position)));
      }),
    );
  });

  test("with any character replaced is rejected", () => {
    const position = fc.record({ id: fc.nat(), values: fc.array(fc.string(), { maxLength: 2 }) });
    const other = fc.oneof(fc.constantFrom(...ALPHABET), fc.constantFrom(..."=+/ %.ä\n"));
    fc.assert(
      fc.property(position, fc.nat(), other, (position, at, character) => {
        const cursor = encodeCursor("list", position);
        const index = at % cursor.length;
        fc.pre(cursor[index] !== character);
        const damaged = cursor.slice(0, index) + character + cursor.slice(index + 1);
        expect(refusal(() => decodeCursor("list", damaged, anything)).code).toBe("invalid_cursor");
      }),
      { numRuns: 500 },
    );
  });

  test("whose last character differs only in unused bits is rejected", () => {
    const cursor = encodeCursor("list", "abc");
    const last = ALPHABET.indexOf(cursor.at(-1) ?? "");
    const bytes = Buffer.from(cursor, "base64url");
    const twins = [...ALPHABET].filter((character, index) => {
      const twin = cursor.slice(0, -1) + character;
      return index !== last && Buffer.from(twin, "base64url").equals(bytes);
    });
    expect(twins).not.toEqual([]);
    for (const character of twins) {
      const twin = cursor.slice(0, -1) + character;
      expect(refusal(() => decodeCursor("list", twin, anything)).code).toBe("invalid_cursor");
    }
  });

  test("that was truncated or extended is rejected", () => {
    const cursor = encodeCursor("list", { id: 7, values: ["milk"] });
    for (const text of [
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `A${cursor}`,
      `${cursor}=`,
    ]) {
      expect(refusal(() => decodeCursor("list", text, anything)).code).toBe("invalid_cursor");
    }
  });

  test("of another scope is rejected, even if scope and position concatenate to the same text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.jsonValue(), (scope, other, position) => {
        fc.pre(scope !== other);
        const cursor = encodeCursor(scope, position);
        expect(refusal(() => decodeCursor(other, cursor, anything)).code).toBe("invalid_cursor");
      }),
    );
  });

  test("that is forged with a valid checksum is validated like any other input", () => {
    const forged = (text: string) => {
      const sum = createHash("sha256").update('"list"').update(text).digest().subarray(0, 12);
      return Buffer.concat([sum, Buffer.from(text)]).toString("base64url");
    };
    const id = z.int().positive();
    expect(decodeCursor("list", forged("7"), id)).toBe(7);
    for (const text of ["", "no json", "-1", '"7"', "{}"]) {
      expect(refusal(() => decodeCursor("list", forged(text), id)).code).toBe("invalid_cursor");
    }
  });

  test("that is rejected causes an error with its name and the expected value", () => {
    expect(refusal(() => decodeCursor("list", "x", anything))).toMatchObject({
      status: 400,
      param: "cursor",
      message:
        'cursor: expected the next_cursor of a page with the same sort and filters, got "x".',
      details: [{ field: "cursor", reason: expect.stringContaining("expected the next_cursor") }],
    });
  });
});
