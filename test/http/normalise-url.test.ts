import { describe, expect, test } from "vitest";
import { isAtOrBelow, normaliseUrl, pathOf } from "../../src/http/normalise-url.js";

describe("normaliseUrl", () => {
  test.each([
    ["/", "/"],
    ["//v1///models", "/v1/models"],
    ["/v1/models//", "/v1/models/"],
    ["/%76%31/%74odos/%7e", "/v1/todos/~"],
    ["/a%2Fb%3Fc%25%23%20", "/a%2Fb%3Fc%25%23%20"],
    ["/%E0%A4%A", "/%E0%A4%A"],
    ["/%", "/%"],
    ["//x?y=//%41&z=?//", "/x?y=//%41&z=?//"],
    ["/x#//", "/x#//"],
  ])("maps %s to %s", (url, normalised) => {
    expect(normaliseUrl(url)).toBe(normalised);
    expect(normaliseUrl(normalised)).toBe(normalised);
  });
});

test.each([
  ["/a/b?c?d", "/a/b"],
  ["/a#b?c", "/a"],
  ["/", "/"],
  ["?x", ""],
])("the path of %s is %s", (url, path) => {
  expect(pathOf(url)).toBe(path);
});

describe("isAtOrBelow", () => {
  test.each([
    ["/todos", "/todos", true],
    ["/todos/", "/todos", true],
    ["/todos/1/x", "/todos", true],
    ["/todosx", "/todos", false],
    ["/v1/todos", "/todos", false],
    ["/", "/todos", false],
    ["/", "/", true],
    ["/x", "/", true],
  ])("of %s and %s is %s", (path, parent, expected) => {
    expect(isAtOrBelow(path, parent)).toBe(expected);
  });
});
