import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UnsupportedGrammar } from "../../../src/grammar/errors.js";
import { schemaGrammar } from "../../../src/grammar/json-schema/schema-grammar.js";
import { acceptedBy, accepts, followed } from "../../support/follow-grammar.js";

/** Decimal notation of a number of hundredths. */
function hundredths(count: number): string {
  const text = String(Math.abs(count)).padStart(3, "0");
  const fraction = text.slice(-2).replace(/0+$/, "");
  return `${count < 0 ? "-" : ""}${text.slice(0, -2)}${fraction === "" ? "" : `.${fraction}`}`;
}

interface Bounds {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
}

function isWithin(
  value: number,
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Bounds,
): boolean {
  return (
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum) &&
    (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
    (exclusiveMaximum === undefined || value < exclusiveMaximum)
  );
}

/** `undefined`: no number satisfies the schema. */
function grammarOf(schema: unknown) {
  try {
    return followed(schemaGrammar(schema));
  } catch (error) {
    if (error instanceof UnsupportedGrammar && error.path.length === 0) return undefined;
    throw error;
  }
}

const bound = fc.option(fc.integer({ min: -300, max: 300 }), { nil: undefined });
const bounds = fc.record({
  minimum: bound,
  maximum: bound,
  exclusiveMinimum: bound,
  exclusiveMaximum: bound,
});

/** Bounds in hundredths as schema keywords. */
function inUnits(of: Bounds, unit: number): Bounds {
  const defined = Object.entries(of).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    defined.map(([name, value]) => [name, Number((value / unit).toFixed(2))]),
  );
}

describe("integers", () => {
  it("are within their bounds, as checked for all nearby integers", () => {
    fc.assert(
      fc.property(bounds, (limits) => {
        const grammar = grammarOf({ type: "integer", ...inUnits(limits, 1) });
        for (let value = -320; value <= 320; value++) {
          const isAccepted = grammar !== undefined && accepts(grammar, String(value));
          expect(isAccepted, String(value)).toBe(isWithin(value, limits));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("are within bounds with very many digits", () => {
    const big = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n });
    fc.assert(
      fc.property(big, big, big, (a, b, value) => {
        // Bounds as read by a JSON parser.
        const [low, high] = [a, b].map(Number).sort((one, other) => one - other);
        const grammar = grammarOf({ type: "integer", minimum: low, maximum: high });
        const isIn = BigInt(low ?? 0) <= value && value <= BigInt(high ?? 0);
        expect(grammar !== undefined && accepts(grammar, String(value))).toBe(isIn);
      }),
    );
  });

  it.each([2, 3, 5, 7, 10, 12, 125])("are multiples of %i", (multipleOf) => {
    const grammar = grammarOf({ type: "integer", multipleOf, minimum: -260, maximum: 260 });
    for (let value = -300; value <= 300; value++) {
      const isIn = Math.abs(value) <= 260 && value % multipleOf === 0;
      expect(grammar !== undefined && accepts(grammar, String(value)), String(value)).toBe(isIn);
    }
  });

  it.each<[string, unknown, readonly string[], readonly string[]]>([
    ["no leading zeros", {}, ["0", "-1", "10"], ["00", "01", "-01", "1.0", "1e2", ""]],
    ["bounds between integers", { minimum: 0.5, maximum: 2.5 }, ["1", "2"], ["0", "3"]],
    [
      "multiples of a round number",
      { multipleOf: 7000 },
      ["0", "7000", "-14000"],
      ["7", "700", "7001"],
    ],
    ["multiples of a power of ten", { multipleOf: 1000 }, ["0", "3000"], ["000", "300", "1500"]],
    ["multiples of a fraction", { multipleOf: 1.5 }, ["3", "-6", "0"], ["1", "2", "4"]],
    [
      "multiples within the safe integer range",
      { multipleOf: 3 },
      ["9007199254740990"],
      ["9007199254740993"],
    ],
    [
      "the largest signed 64-bit integer, which parsers round",
      { maximum: Number("9223372036854775807") },
      ["9223372036854775807", "9223372036854775806"],
      ["9223372036854775808"],
    ],
    [
      "the largest unsigned 64-bit integer",
      { maximum: Number("18446744073709551615") },
      ["18446744073709551615"],
      ["18446744073709551616"],
    ],
    [
      "the smallest signed 64-bit integer",
      { minimum: Number("-9223372036854775808") },
      ["-9223372036854775808"],
      ["-9223372036854775809"],
    ],
    [
      "the format int32",
      { format: "int32" },
      ["2147483647", "-2147483648"],
      ["2147483648", "-2147483649"],
    ],
    ["the format int64", { format: "int64" }, ["9223372036854775807"], ["9223372036854775808"]],
    [
      "boolean exclusive bounds of draft 4",
      { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false },
      ["2", "3"],
      ["1", "4"],
    ],
  ])("respect %s", (_, keywords, accepted, rejected) => {
    const schema = { type: "integer", ...(keywords as object) };
    expect(acceptedBy(schema, [...accepted, ...rejected])).toEqual(accepted);
  });
});

describe("numbers", () => {
  it("are within their bounds, as checked for all nearby hundredths", () => {
    fc.assert(
      fc.property(bounds, (limits) => {
        const grammar = grammarOf({ type: "number", ...inUnits(limits, 100) });
        for (let count = -310; count <= 310; count++) {
          const isAccepted = grammar !== undefined && accepts(grammar, hundredths(count));
          expect(isAccepted, hundredths(count)).toBe(isWithin(count, limits));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("may have trailing zeros after the decimal point", () => {
    const schema = { type: "number", minimum: 0.5, exclusiveMaximum: 2 };
    const accepted = ["0.5", "0.50", "0.500", "1.0", "1.990", "1"];
    expect(acceptedBy(schema, [...accepted, "0.49", "0.4999", "2", "2.0", "2.00"])).toEqual(
      accepted,
    );
  });

  it.each([0.01, 0.5, 0.25, 2, 0.1])("are multiples of %d", (multipleOf) => {
    const grammar = grammarOf({ type: "number", multipleOf });
    const step = Math.round(multipleOf * 100);
    for (let count = -250; count <= 250; count++) {
      expect(grammar !== undefined && accepts(grammar, hundredths(count)), hundredths(count)).toBe(
        count % step === 0,
      );
    }
  });

  it("may have an exponent if their bounds allow any magnitude", () => {
    expect(acceptedBy({ type: "number" }, ["1e5", "2.5E-7"])).toEqual(["1e5", "2.5E-7"]);
    expect(acceptedBy({ type: "number", minimum: 0 }, ["1e-05", "1e+16", "-1e-05"])).toEqual([
      "1e-05",
      "1e+16",
    ]);
    expect(acceptedBy({ type: "number", maximum: 0.5 }, ["1e-05", "1e+16"])).toEqual([]);
  });

  it("have a limited number of digits", () => {
    const many = `0.${"0".repeat(24)}1`;
    const tooMany = `0.${"0".repeat(25)}1`;
    for (const schema of [{ minimum: 0, maximum: 10 }, { maximum: 1 }, { multipleOf: 0.01 }]) {
      const texts = ["0.25", `0.${"0".repeat(25)}`, many, tooMany, `1.${"0".repeat(26)}`];
      expect(acceptedBy({ type: "number", ...schema }, texts)).not.toContain(tooMany);
      expect(acceptedBy({ type: "number", ...schema }, texts)).not.toContain(texts[4]);
    }
    const narrow = { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1e-40 };
    expect(acceptedBy(narrow, [`0.${"0".repeat(40)}5`])).toHaveLength(1);
  });

  it.each<[string, unknown]>([
    ["bounds that exclude each other", { type: "number", minimum: 2, maximum: 1 }],
    [
      "an excluded bound that is the only number",
      { type: "number", minimum: 2, exclusiveMaximum: 2 },
    ],
    ["no integer between the bounds", { type: "integer", exclusiveMinimum: 1, maximum: 1.5 }],
    [
      "no multiple between the bounds",
      { type: "number", multipleOf: 10, minimum: 11, maximum: 19 },
    ],
    [
      "no common multiple between the bounds",
      { type: "integer", minimum: 1, maximum: 11, allOf: [{ multipleOf: 4 }, { multipleOf: 6 }] },
    ],
  ])("are rejected if no number satisfies the schema: %s", (_, schema) => {
    expect(grammarOf(schema)).toBeUndefined();
  });
});

describe("enumerated numbers", () => {
  it("are written without an exponent", () => {
    const schema = { enum: [0.00001, 1e21, -2.5, 0] };
    const accepted = ["0.00001", "1000000000000000000000", "-2.5", "0"];
    expect(acceptedBy(schema, [...accepted, "1", "2.5", "0.0001"])).toEqual(accepted);
  });

  it("are restricted by other keywords", () => {
    expect(
      acceptedBy({ enum: [1, 2, 3, 4.5], multipleOf: 1, minimum: 2 }, ["1", "2", "3", "4.5"]),
    ).toEqual(["2", "3"]);
  });
});
