import fc from "fast-check";
import { expect, it, test } from "vitest";
import { parseTraceParent, printTraceParent } from "../../src/telemetry/trace-parent.js";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

it.each([
  ["01", true],
  ["00", false],
  ["03", true],
  ["02", false],
])("traceparent: reads the flags %s", (flags, isSampled) => {
  expect(parseTraceParent(`00-${traceId}-${spanId}-${flags}`)).toEqual({
    traceId,
    spanId,
    isSampled,
  });
});

it("traceparent: accepts later versions, which may have more fields", () => {
  expect(parseTraceParent(`cc-${traceId}-${spanId}-01-what-comes`)).toMatchObject({ traceId });
  expect(parseTraceParent(`cc-${traceId}-${spanId}-01`)).toMatchObject({ traceId });
});

test.each([
  undefined,
  "",
  "nonsense",
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId}-${spanId}-01-more`,
  `00-${traceId}-${spanId}-1`,
  `00-${traceId}-${spanId}`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `00-${traceId}0-${spanId}-01`,
  `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
])("traceparent: ignores %j", (header) => {
  expect(parseTraceParent(header)).toBeUndefined();
});

test("traceparent: a formatted header is parsed to the same value", () => {
  const id = (digits: number) =>
    fc
      .array(fc.integer({ min: 0, max: 15 }), { minLength: digits, maxLength: digits })
      .filter((values) => values.some((value) => value > 0))
      .map((values) => values.map((value) => value.toString(16)).join(""));
  fc.assert(
    fc.property(id(32), id(16), fc.boolean(), (trace, span, isSampled) => {
      const parent = { traceId: trace, spanId: span, isSampled };
      expect(parseTraceParent(printTraceParent(parent))).toEqual(parent);
    }),
  );
});
