import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureJsonSize } from "../../src/core/json-size.js";

const sizeOf = (json: string) => measureJsonSize(Buffer.from(json));

describe("the depth of a JSON text", () => {
  it.each([
    ["", 0],
    ["1", 0],
    ['"[[[["', 0],
    ['"\\"[[["', 0],
    ['"\\\\"[[[', 3],
    ['["\\\\\\"["]', 1],
    ["[]", 1],
    ["[[],[[]]]", 3],
    ['{"a":[{"b":"}]"}]}', 3],
    ["[".repeat(100_000), 100_000],
    ["]]]", 0],
    ['["[[', 1],
  ])("of %.20s is %i", (json, depth) => {
    expect(sizeOf(json).depth).toBe(depth);
  });

  it.each([31, 32, 33, 34, 64, 100])(
    "ignores brackets in a string with escapes after %i bytes",
    (bytes) => {
      for (const escapes of ["\\\\", '\\"', '\\\\\\"', "\\\\\\\\"]) {
        expect(sizeOf(`["${"x".repeat(bytes)}${escapes}[[", []]`).depth).toBe(2);
      }
    },
  );

  it("equals the depth of the parsed value, whatever its strings", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null
        ? 1 + Math.max(0, ...Object.values(value).map(depthOf))
        : 0;
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(sizeOf(JSON.stringify(value)).depth).toBe(depthOf(value));
      }),
    );
  });
});

describe("the number of values of a JSON text", () => {
  it.each([
    ["", 0],
    ["1", 1],
    ['"a,b,c"', 1],
    ["[1,2,3]", 4],
    ['{"a":1,"b":[true]}', 4],
    [`[${"0,".repeat(999)}0]`, 1001],
  ])("of %.20s is %i", (json, values) => {
    expect(sizeOf(json).values).toBe(values);
  });

  it("is at least that of the parsed value, and exceeds it by at most one for each empty container", () => {
    const count = (value: unknown): { values: number; empty: number } => {
      if (typeof value !== "object" || value === null) return { values: 1, empty: 0 };
      const items = Object.values(value).map(count);
      return {
        values: 1 + items.reduce((sum, item) => sum + item.values, 0),
        empty: items.reduce((sum, item) => sum + item.empty, items.length === 0 ? 1 : 0),
      };
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { values, empty } = count(value);
        expect(sizeOf(JSON.stringify(value)).values).toBe(values + empty);
      }),
    );
  });
});

describe("the largest number of members of an object in a JSON text", () => {
  it.each([
    ["", 0],
    ["[1,2,3]", 0],
    ["{}", 1],
    ['{"a":[1,2,3,4]}', 1],
    ['{"a":{"b":1,"c":2},"d":{"e":[],"f":1,"g":{}}}', 3],
    ['[{"a":1,"b":2},3,4,5]', 2],
    ['{"a":{},"b":[{"c":1}],"c":"{,,,"}', 3],
    ["]]}{,", 2],
  ])("in %.50s is %i", (json, members) => {
    expect(sizeOf(json).members).toBe(members);
  });

  it("is at least that of the parsed value, and one for an empty object", () => {
    const most = (value: unknown): number => {
      if (typeof value !== "object" || value === null) return 0;
      const own = Array.isArray(value) ? 0 : Math.max(1, Object.keys(value).length);
      return Math.max(own, ...Object.values(value).map(most));
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(sizeOf(JSON.stringify(value)).members).toBe(most(value));
      }),
    );
  });
});

describe("the longest scalar of a JSON text", () => {
  it.each([
    ["", 0],
    ["12345", 5],
    ["[1,22,333]", 3],
    ['{"a":1234}', 5],
    ['["a long string",1]', 1],
    ["[1,      2]", 7],
    ['["a"       ]', 7],
    ['"x"    ', 4],
  ])("of %s has %i bytes, including adjacent white space and the colon", (json, bytes) => {
    expect(sizeOf(json).longestScalar).toBe(bytes);
  });
});

describe("measuring a JSON text within limits", () => {
  const limits = { depth: 3, values: 5, members: 2, longestScalar: 4 };

  it.each([
    ["[1,2]", { depth: 1, values: 3, members: 0, longestScalar: 1 }],
    ["[[[[[[", { depth: 4, values: 5, members: 0, longestScalar: 0 }],
    ["[1,2,3,4,5,6,7,8]", { depth: 1, values: 6, members: 0, longestScalar: 1 }],
    ['{"a":1,"b":2,"c":3,"d":4}', { depth: 1, values: 4, members: 3, longestScalar: 2 }],
    [`[${" ".repeat(100)}]`, { depth: 1, values: 2, members: 0, longestScalar: 5 }],
  ])("stops early in $0 if a limit is exceeded", (json, size) => {
    expect(measureJsonSize(Buffer.from(json), limits)).toEqual(size);
  });
});
