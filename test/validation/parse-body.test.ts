import { describe, expect, test } from "vitest";
import { z } from "zod";
import { GgufdError } from "../../src/core/errors.js";
import { numberBetween, text } from "../../src/validation/fields.js";
import { parseBody } from "../../src/validation/parse-body.js";

const schema = z.object({ name: text(), size: numberBetween(0, 9).default(3) });

function refusal(body: unknown): GgufdError {
  try {
    parseBody(schema, body);
  } catch (error) {
    if (error instanceof GgufdError) return error;
    throw error;
  }
  throw new Error("expected a refusal");
}

describe("parseBody", () => {
  test("gives the body as its schema reads it", () => {
    expect(parseBody(schema, { name: "a" })).toEqual({ name: "a", size: 3 });
  });

  test("names every field at fault, the first one as the parameter", () => {
    expect(refusal({ name: 7, size: 10 })).toMatchObject({
      code: "invalid_request",
      status: 400,
      param: "name",
      message: "name: expected a string, got 7; size: expected a number from 0 to 9, got 10.",
      details: [
        { field: "name", reason: "expected a string, got 7" },
        { field: "size", reason: "expected a number from 0 to 9, got 10" },
      ],
    });
  });

  test.each([undefined, null, [], "text", 7])(
    "has no parameter to name for the body %j",
    (body) => {
      expect(refusal(body).param).toBeUndefined();
    },
  );
});
