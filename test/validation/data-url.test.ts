import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDataUrl, readBase64, readDataUrl } from "../../src/validation/data-url.js";

const MAX_BYTES = 1000;

describe("data URLs", () => {
  test("contain a type and bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (content) => {
        const base64 = Buffer.from(content).toString("base64");
        const read = readDataUrl(`data:image/PNG;base64,${base64}`, MAX_BYTES);
        expect(read).toEqual({ mediaType: "image/png", bytes: Buffer.from(content) });
      }),
    );
  });

  test.each([
    ["without a type", "data:;base64,QUJD", ""],
    ["with parameters", "data:audio/wav;codecs=1;rate=16000;base64,QUJD", "audio/wav"],
    ["in capital letters", "DATA:Image/JPEG;BASE64,QUJD", "image/jpeg"],
  ])("may be %s", (_, url, mediaType) => {
    expect(isDataUrl(url)).toBe(true);
    expect(readDataUrl(url, MAX_BYTES)).toEqual({ mediaType, bytes: Buffer.from("ABC") });
  });

  test.each([
    ["is not a data URL", "https://example.com/a.png", "expected data:TYPE;base64,CONTENT"],
    ["is text", "data:text/plain,hello", "expected data:TYPE;base64,CONTENT"],
    ["is empty", "data:image/png;base64,", "expected a file, got nothing"],
    ["is not base64", "data:image/png;base64,QU-_", "expected base64, got something else"],
    ["contains white space", "data:image/png;base64,QU JD", "expected base64, got something else"],
    ["is truncated", "data:image/png;base64,QUJDR", "expected base64, got something else"],
    [
      "has too much padding",
      "data:image/png;base64,QUJD===",
      "expected base64, got something else",
    ],
  ])("are rejected if the URL %s", (_, url, reason) => {
    expect(readDataUrl(url, MAX_BYTES)).toContain(reason);
  });

  test("are rejected by their size before decoding", () => {
    const read = readDataUrl(`data:image/png;base64,${"!".repeat(4000)}`, MAX_BYTES);
    expect(read).toBe("expected at most 1000 bytes, got 3000");
  });
});

test("base64 may omit its padding", () => {
  expect(readBase64("QUI", MAX_BYTES)).toEqual(Buffer.from("AB"));
  expect(readBase64("QQ", MAX_BYTES)).toEqual(Buffer.from("A"));
});

test("base64 may contain only its alphabet", () => {
  const base64 = /^[\d+/A-Za-z]*={0,2}$/;
  const characters = fc.constantFrom(..."AQz09+/=-_ \n.\u0141\u00e9\u2141🙂");
  fc.assert(
    fc.property(fc.array(characters, { minLength: 1, maxLength: 12 }), (chosen) => {
      const text = chosen.join("");
      const unpadded = text.replace(/={1,2}$/, "").length;
      fc.pre(unpadded > 0);
      const isBase64 = base64.test(text) && unpadded % 4 !== 1;
      expect(typeof readBase64(text, MAX_BYTES) !== "string").toBe(isBase64);
    }),
    { numRuns: 2_000 },
  );
});
