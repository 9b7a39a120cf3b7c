import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeReport, ReportReader } from "../../src/process/report-stream.js";

type Report = { readonly type: string };

/** Reports read from bytes that arrive in pieces of these lengths, cyclically. */
function read(reports: readonly Report[], lengths: readonly number[]): readonly unknown[] {
  const seen: unknown[] = [];
  const reader = new ReportReader((report) => seen.push(structuredClone(report)));
  const bytes = Buffer.concat(reports.map(encodeReport));
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const length = lengths[piece % lengths.length] ?? 1;
    reader.push(bytes.subarray(at, at + length));
    at += length;
  }
  return seen;
}

const frames = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => ({ type: "events", frames: bytes, others: [] }));
const reports = fc.oneof(
  frames,
  fc.record({ type: fc.constant("events"), frames: fc.uint8Array(), others: fc.constant([[1]]) }),
  fc.record({ type: fc.string(), value: fc.anything({ withBigInt: true, withMap: true }) }),
);
/** A Buffer and the Uint8Array of the same bytes count as equal. */
const comparable = (report: unknown) =>
  report !== null && typeof report === "object" && "frames" in report
    ? { ...report, frames: [...(report.frames as Uint8Array)] }
    : report;

describe("encoded reports", () => {
  it("are decoded to the same reports, for any chunking", () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(fc.array(reports, { maxLength: 6 }), lengths, (sent, cuts) => {
        expect(read(sent, cuts).map(comparable)).toEqual(sent.map(comparable));
      }),
    );
  });

  it("that are large are decoded from many chunks", () => {
    const report = { type: "returned", result: Array.from({ length: 50_000 }, (_, id) => id) };
    expect(read([report, { type: "pong" }], [4096])).toEqual([report, { type: "pong" }]);
  });

  it("with generation events consist of a length, a kind, and the binary frames", () => {
    const sent = encodeReport({
      type: "events",
      frames: Uint8Array.of(7, 8, 9),
      others: [],
    } as Report);
    expect([...sent]).toEqual([3, 0, 0, 0, 1, 7, 8, 9]);
  });

  it("of an unknown kind cause an error", () => {
    const reader = new ReportReader(() => undefined);
    expect(() => reader.push(Buffer.from([0, 0, 0, 0, 9]))).toThrow("unknown report kind: 9");
  });
});
