import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { readCursor, writeCursor } from "../../src/validation/cursor.js";
import { refusal } from "../support/refusal.js";

const anything = z.unknown();
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("a cursor", () => {
  test("gives back the place that it was written for", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.jsonValue(), (scope, place) => {
        const cursor = writeCursor(scope, place);
        expect(cursor).toMatch(/^[\w-]+$/);
        expect(readCursor(scope, cursor, anything)).toEqual(JSON.parse(JSON.stringify(place)));
      }),
    );
  });

  test("with any other character in it is refused", () => {
    const place = fc.record({ id: fc.nat(), values: fc.array(fc.string(), { maxLength: 2 }) });
    const other = fc.oneof(fc.constantFrom(...ALPHABET), fc.constantFrom(..."=+/ %.ä\n"));
    fc.assert(
      fc.property(place, fc.nat(), other, (place, at, character) => {
        const cursor = writeCursor("list", place);
        const index = at % cursor.length;
        fc.pre(cursor[index] !== character);
        const damaged = cursor.slice(0, index) + character + cursor.slice(index + 1);
        expect(refusal(() => readCursor("list", damaged, anything)).code).toBe("invalid_cursor");
      }),
      { numRuns: 500 },
    );
  });

  test("whose last character differs in bits that decoding drops is refused", () => {
    const cursor = writeCursor("list", "abc");
    const last = ALPHABET.indexOf(cursor.at(-1) ?? "");
    const bytes = Buffer.from(cursor, "base64url");
    const twins = [...ALPHABET].filter((character, index) => {
      const twin = cursor.slice(0, -1) + character;
      return index !== last && Buffer.from(twin, "base64url").equals(bytes);
    });
    expect(twins).not.toEqual([]);
    for (const character of twins) {
      const twin = cursor.slice(0, -1) + character;
      expect(refusal(() => readCursor("list", twin, anything)).code).toBe("invalid_cursor");
    }
  });

  test("that was cut or made longer is refused", () => {
    const cursor = writeCursor("list", { id: 7, values: ["milk"] });
    for (const text of [
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `A${cursor}`,
      `${cursor}=`,
    ]) {
      expect(refusal(() => readCursor("list", text, anything)).code).toBe("invalid_cursor");
    }
  });

  test("of another scope is refused, also where scope and place together read the same", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.jsonValue(), (scope, other, place) => {
        fc.pre(scope !== other);
        const cursor = writeCursor(scope, place);
        expect(refusal(() => readCursor(other, cursor, anything)).code).toBe("invalid_cursor");
      }),
    );
  });

  test("that somebody worked out is checked as any input is", () => {
    const forged = (text: string) => {
      const sum = createHash("sha256").update('"list"').update(text).digest().subarray(0, 12);
      return Buffer.concat([sum, Buffer.from(text)]).toString("base64url");
    };
    const id = z.int().positive();
    expect(readCursor("list", forged("7"), id)).toBe(7);
    for (const text of ["", "no json", "-1", '"7"', "{}"]) {
      expect(refusal(() => readCursor("list", forged(text), id)).code).toBe("invalid_cursor");
    }
  });

  test("is named by the refusal, with what was expected", () => {
    expect(refusal(() => readCursor("list", "x", anything))).toMatchObject({
      status: 400,
      param: "cursor",
      message:
        'cursor: expected the next_cursor of a page with the same sort and filters, got "x".',
      details: [{ field: "cursor", reason: expect.stringContaining("expected the next_cursor") }],
    });
  });
});
