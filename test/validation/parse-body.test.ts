import { describe, expect, test } from "vitest";
import { z } from "zod";
import { numberBetween, text } from "../../src/validation/fields.js";
import { parseBody } from "../../src/validation/parse-body.js";
import { rejection } from "../support/refusal.js";

const schema = z.object({ name: text(), size: numberBetween(0, 9).default(3) });

const refusalOf = (body: unknown, code?: "validation_failed") =>
  rejection(parseBody(schema, body, code));

describe("parseBody", () => {
  test("returns the parsed body", async () => {
    expect(await parseBody(schema, { name: "a" })).toEqual({ name: "a", size: 3 });
  });

  test("reports every invalid field, and the first one as the parameter", async () => {
    expect(await refusalOf({ name: 7, size: 10 })).toMatchObject({
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
    "reports no parameter for the body %j",
    async (body) => {
      expect((await refusalOf(body)).param).toBeUndefined();
    },
  );

  test("uses the requested error code", async () => {
    expect(await refusalOf({ name: 7 }, "validation_failed")).toMatchObject({
      code: "validation_failed",
      status: 422,
      details: [{ field: "name", reason: "expected a string, got 7" }],
    });
    expect(await refusalOf([], "validation_failed")).toMatchObject({
      code: "validation_failed",
      details: [{ field: "body" }],
    });
  });

  test("uses invalid_request for a missing body, regardless of the requested code", async () => {
    expect(await refusalOf(undefined, "validation_failed")).toMatchObject({
      code: "invalid_request",
      details: [{ field: "body", reason: expect.stringMatching(/got nothing$/) }],
    });
  });
});
