import { describe, expect, test } from "vitest";
import { z } from "zod";
import { numberBetween, text } from "../../src/validation/fields.js";
import { parseBody } from "../../src/validation/parse-body.js";
import { refusal } from "../support/refusal.js";

const schema = z.object({ name: text(), size: numberBetween(0, 9).default(3) });

const refusalOf = (body: unknown, code?: "validation_failed") =>
  refusal(() => parseBody(schema, body, code));

describe("parseBody", () => {
  test("gives the body as its schema reads it", () => {
    expect(parseBody(schema, { name: "a" })).toEqual({ name: "a", size: 3 });
  });

  test("names every field at fault, the first one as the parameter", () => {
    expect(refusalOf({ name: 7, size: 10 })).toMatchObject({
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
      expect(refusalOf(body).param).toBeUndefined();
    },
  );

  test("calls what is refused what it is told to", () => {
    expect(refusalOf({ name: 7 }, "validation_failed")).toMatchObject({
      code: "validation_failed",
      status: 422,
      details: [{ field: "name", reason: "expected a string, got 7" }],
    });
    expect(refusalOf([], "validation_failed")).toMatchObject({
      code: "validation_failed",
      details: [{ field: "body" }],
    });
  });

  test("calls a body that is not there malformed, whatever it is told", () => {
    expect(refusalOf(undefined, "validation_failed")).toMatchObject({
      code: "invalid_request",
      details: [{ field: "body", reason: expect.stringMatching(/got nothing$/) }],
    });
  });
});
