import { describe, expect, it } from "vitest";
import { acceptedBy } from "../../support/follow-grammar.js";

const FORMATS: readonly (readonly [
  format: string,
  accepted: readonly string[],
  rejected: readonly string[],
])[] = [
  [
    "date",
    ["2024-02-29", "2000-02-29", "1999-12-31"],
    ["2023-02-29", "1900-02-29", "2024-04-31", "2024-13-01", "24-01-01", "2024-1-1"],
  ],
  ["time", ["12:30:00Z", "23:59:59.123+01:30"], ["24:00:00Z", "12:60:00Z", "12:30:00", "12:30Z"]],
  [
    "date-time",
    ["2024-02-29T12:30:00Z", "2024-02-29t12:30:00.5-08:00"],
    ["2024-02-30T12:30:00Z", "2024-02-29 12:30:00Z"],
  ],
  ["duration", ["P1D", "PT5M", "P1Y2M3DT4H5M6S", "P2W"], ["P", "PT", "1D", "P1S", "P1W1D"]],
  ["email", ["a.b+c@example.com"], ["a@b@c.d", "@example.com", "a", ".a@example.com"]],
  [
    "hostname",
    ["example.com", "a-b.c", `${"a".repeat(63)}.com`],
    ["-a.com", "a..b", `${"a".repeat(64)}.com`, "a_b"],
  ],
  ["ipv4", ["0.0.0.0", "255.255.255.255"], ["256.0.0.1", "1.2.3", "01.2.3.4"]],
  [
    "ipv6",
    ["::", "::1", "2001:db8::ff00:42:8329", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
    [":::", "1:2:3:4:5:6:7", "1::2::3", "12345::"],
  ],
  [
    "uuid",
    ["123e4567-e89b-12d3-a456-426614174000"],
    ["123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g"],
  ],
  [
    "uri",
    ["https://user@example.com:80/a/b?c=d#e", "urn:a:b", "mailto:a@b.c"],
    ["/a", "http://a b", "//a", "http://[::1"],
  ],
  ["uri-reference", ["/a/b", "a?b", "#c", ""], ["http://a b", "\\a"]],
  ["json-pointer", ["", "/a~0b/~1"], ["a", "/~2"]],
  ["anything else", ["any text"], []],
];

describe("the formats of strings", () => {
  it.each(FORMATS)("accept exactly the valid texts: %s", (format, accepted, rejected) => {
    const texts = accepted.map((text) => JSON.stringify(text));
    const others = rejected.map((text) => JSON.stringify(text));
    expect(acceptedBy({ type: "string", format }, [...texts, ...others])).toEqual(texts);
  });
});
