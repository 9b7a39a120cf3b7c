import { describe, expect, test } from "vitest";
import { parseDigest, parseRange, strongTagOf } from "../../../src/models/pull/answer-headers.js";

describe("the byte range of an answer", () => {
  test.each([
    [200, { "content-length": "10" }, { startBytes: 0, totalBytes: 10 }],
    [200, {}, { startBytes: 0, totalBytes: undefined }],
    [
      206,
      { "content-range": "bytes 4-9/10", "content-length": "6" },
      { startBytes: 4, totalBytes: 10 },
    ],
    [206, { "content-range": "bytes 4-9/*" }, { startBytes: 4, totalBytes: 10 }],
    [416, { "content-range": "bytes */10" }, { startBytes: 0, totalBytes: 10 }],
  ])("with status %i and headers %j is %j", (status, headers, expected) => {
    expect(parseRange(status, headers)).toEqual(expected);
  });

  test.each([
    [206, {}],
    [206, { "content-range": "bytes 4-8/10" }],
    [206, { "content-range": "bytes 9-4/10" }],
    [206, { "content-range": "bytes 4-9/10", "content-length": "10" }],
    [206, { "content-range": "bytes */10" }],
    [206, { "content-range": "items 0-1/2" }],
    [416, { "content-range": "bytes 99999999999999999999-1/2" }],
  ])("is invalid with status %i and headers %j", (status, headers) => {
    expect(parseRange(status, headers)).toBeUndefined();
  });
});

test.each([
  ['"abc"', '"abc"'],
  ['W/"abc"', undefined],
  ["abc", undefined],
  ['"a\r\nb"', undefined],
  [undefined, undefined],
])("the strong entity tag of %j is %j", (etag, expected) => {
  expect(strongTagOf({ etag })).toBe(expected);
});

test("a digest is read from the hub's redirect or from Repr-Digest", () => {
  const hex = "ab".repeat(32);
  const base64 = Buffer.from(hex, "hex").toString("base64");
  expect(parseDigest([{ "x-linked-etag": `"${hex}"` }, { etag: '"other"' }])).toBe(hex);
  expect(parseDigest([{ "repr-digest": `sha-512=:x=:, sha-256=:${base64}:` }])).toBe(hex);
  expect(
    parseDigest([{ etag: `"${hex}"`, "x-linked-etag": "short", "repr-digest": "md5=:x:" }]),
  ).toBe(undefined);
});
