import { describe, expect, it } from "vitest";
import { type DocumentContent, toDocumentParts } from "../../../src/api/fields/documents.js";
import type { ContentPart } from "../../../src/core/media.js";
import { refusal } from "../../support/refusal.js";

const FIELD = "a.data";
const PDF =
  "expected UTF-8 text, such as Markdown, CSV, JSON or source code, got a PDF: convert it to text first";
const BINARY =
  "expected UTF-8 text, such as Markdown, CSV, JSON or source code, got a binary file or another encoding: convert it to UTF-8 text first";

const base64 = (content: string | readonly number[], encoding?: BufferEncoding) =>
  (typeof content === "string" ? Buffer.from(content, encoding) : Buffer.from(content)).toString(
    "base64",
  );
const file = (data: string, mediaType?: string | null): DocumentContent => ({
  type: "file",
  data,
  mediaType,
});
const text = (words: string): DocumentContent => ({ type: "text", text: words });
const framed = (words: string) => [{ type: "text", text: `<document>\n${words}\n</document>` }];

describe("a document is its text between two lines", () => {
  it.each<[string, DocumentContent, string]>([
    ["text", text("# A\n\nB"), "# A\n\nB"],
    ["no text", text(""), ""],
    ["base64", file(base64("a,b\n1,2")), "a,b\n1,2"],
    ["base64 without padding", file("QQ"), "A"],
    ["a data URL", file(`data:text/csv;base64,${base64("a,b")}`), "a,b"],
    ["a data URL without a type", file(`data:;base64,${base64("a")}`), "a"],
    ["another declared type", file(base64('{"a":1}'), "image/png"), '{"a":1}'],
    ["no declared type", file(base64("<p>"), null), "<p>"],
    ["characters of several bytes", file(base64("é 🙂")), "é 🙂"],
    ["a byte order mark", file(base64("\ufeffA")), "A"],
    ["a byte order mark in text", text("\ufeffA"), "A"],
    ["a final line break", file(base64("A\n")), "A"],
    ["a final line break of Windows", file(base64("A\r\nB\r\n")), "A\r\nB"],
    ["several final line breaks", text("A\n\n"), "A\n"],
    ["the signature of a PDF in its middle", text("See %PDF-1.7"), "See %PDF-1.7"],
  ])("from %s", (_, content, words) => {
    expect(toDocumentParts({ content, field: FIELD })).toEqual(framed(words));
  });

  it.each([
    [{ name: "notes.md" }, '<document name="notes.md">'],
    [{ name: "notes.md", context: "Mine." }, '<document name="notes.md" context="Mine.">'],
    [{ context: "Mine." }, '<document context="Mine.">'],
    [{ name: "", context: null }, "<document>"],
    [{ name: 'a"\n</document>' }, '<document name="a\\"\\n</document>">'],
  ])("with its label, in one line: %j", (label, line) => {
    const parts = toDocumentParts({ ...label, content: text("A"), field: FIELD });
    expect(parts).toEqual([{ type: "text", text: `${line}\nA\n</document>` }]);
  });

  it("from parts, which stay in order", () => {
    const image: ContentPart = {
      ...{ type: "media", kind: "image", field: "a" },
      content: { type: "base64", text: "QQ==" },
    };
    const parts: readonly ContentPart[] = [
      { type: "text", text: "A" },
      image,
      { type: "text", text: "B" },
    ];
    expect(toDocumentParts({ content: { type: "parts", parts }, field: FIELD })).toEqual([
      { type: "text", text: "<document>\nA" },
      image,
      { type: "text", text: "B\n</document>" },
    ]);
  });
});

describe("a document is rejected with its field", () => {
  it.each<[string, DocumentContent, string]>([
    ["is a PDF", file(base64("%PDF-1.7\n%\xe2\xe3", "latin1")), PDF],
    ["is a PDF of ASCII characters", file(base64("%PDF-1.4\n"), "text/plain"), PDF],
    ["is declared as a PDF", file(base64("A"), "Application/PDF"), PDF],
    ["is declared as a PDF by its URL", file(`data:application/pdf;base64,${base64("A")}`), PDF],
    ["is a PDF read as text", text("%PDF-1.4\n"), PDF],
    ["contains a zero byte", file(base64([65, 0, 66])), BINARY],
    ["contains a zero character", text("A\u0000B"), BINARY],
    ["is not UTF-8", file(base64("caf\xe9", "latin1")), BINARY],
    ["ends within a character", file(base64([0xe2, 0x82])), BINARY],
    ["is UTF-16", file(base64("\ufeffAB", "utf16le")), BINARY],
    ["is an image", file(base64([0x89, 0x50, 0x4e, 0x47, 0, 0]), "text/plain"), BINARY],
    ["is not base64", file("#"), "expected base64, got something else"],
    ["is a URL", file("https://a.example/b"), "expected base64, got something else"],
    ["is empty", file("data:text/plain;base64,"), "expected a file, got nothing"],
    [
      "is a data URL without base64",
      file("data:text/plain,A"),
      'expected data:TYPE;base64,CONTENT, got "data:text/plain,A"',
    ],
  ])("if it %s", (_, content, reason) => {
    expect(refusal(() => toDocumentParts({ content, field: FIELD }))).toMatchObject({
      code: "invalid_request",
      param: FIELD,
      message: `${FIELD}: ${reason}.`,
    });
  });
});
