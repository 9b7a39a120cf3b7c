import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import { type ContentPart, joinContent, partsOf } from "../../core/media.js";
import { isDataUrl, readBase64, readDataUrl } from "../../validation/data-url.js";
import { text } from "../../validation/fields.js";

const dataError = "expected the file in base64 or as a data URL";

/** Field of a file that only its provider stores. */
function noStoredFile() {
  return z
    .literal(null, { error: "expected none, because this server stores no files" })
    .optional();
}

/** Fields of a file in a request in OpenAI's format. */
export const fileFields = {
  file_id: noStoredFile(),
  file_data: z.string({ error: dataError }).min(1, { error: dataError }).meta({
    description:
      "The file in base64, or `data:TYPE;base64,CONTENT`. It must be UTF-8 text, which becomes part of the prompt.",
  }),
  filename: text().nullish().meta({ description: "Name of the file in the prompt." }),
};

/** Content of a document, as the client sent it. */
export type DocumentContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "file";
      /** In base64, or as a data URL. */
      readonly data: string;
      /** Absent: unknown, or part of the data URL. */
      readonly mediaType?: string | null | undefined;
    }
  | { readonly type: "parts"; readonly parts: readonly ContentPart[] };

/** Document of a request. Its text becomes part of the prompt. */
export interface RequestDocument {
  readonly name?: string | null | undefined;
  /** Information about the document, which is not part of its text. */
  readonly context?: string | null | undefined;
  readonly content: DocumentContent;
  /** Request field that holds the content, for errors. */
  readonly field: string;
}

/**
 * Translates a document to its text between two lines with its name.
 * @throws {GgufdError} `invalid_request` for a file that is not UTF-8 text
 */
export function toDocumentParts({
  name,
  context,
  content,
  field,
}: RequestDocument): readonly ContentPart[] {
  const label = [labelOf("name", name), labelOf("context", context)].join("");
  const parts = content.type === "parts" ? content.parts : [toTextPart(readText(content, field))];
  const framed = [toTextPart(`<document${label}>`), ...parts, toTextPart("</document>")];
  return partsOf(joinContent(framed, "\n"));
}

/** Formats an attribute in one line, so that it cannot end the frame's first line. */
function labelOf(attribute: string, value: string | null | undefined): string {
  return value ? ` ${attribute}=${JSON.stringify(value)}` : "";
}

function toTextPart(text: string): ContentPart {
  return { type: "text", text };
}

const PDF_TYPE = "application/pdf";
/** First characters of a PDF, which may consist of ASCII only. */
const PDF_SIGNATURE = "%PDF-";

/** Returns the text of a document, without a byte order mark and a final line break. */
function readText(content: Exclude<DocumentContent, { type: "parts" }>, field: string): string {
  const text = content.type === "text" ? content.text : decodeFile(content, field);
  if (text.includes("\u0000")) rejectBinary(field);
  const withoutMark = text.startsWith("\ufeff") ? text.slice(1) : text;
  if (withoutMark.startsWith(PDF_SIGNATURE)) rejectPdf(field);
  return withoutMark.replace(/\r?\n$/, "");
}

/** Decodes a file. Its declared type is unreliable: only that of a PDF is considered. */
function decodeFile(
  { data, mediaType }: Extract<DocumentContent, { type: "file" }>,
  field: string,
): string {
  const file = readFile(data);
  if (typeof file === "string") return refuse(field, file);
  const { bytes } = file;
  const isPdf = [mediaType?.toLowerCase(), file.mediaType].includes(PDF_TYPE);
  if (isPdf || bytes.toString("latin1", 0, PDF_SIGNATURE.length) === PDF_SIGNATURE) {
    rejectPdf(field);
  }
  return isUtf8(bytes) ? bytes.toString() : rejectBinary(field);
}

/** Limit of a file's size: that of the body applies. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

/** @returns the file, or why it cannot be read, as `expected …, got …` */
function readFile(data: string) {
  if (isDataUrl(data)) return readDataUrl(data, NO_LIMIT);
  const bytes = readBase64(data, NO_LIMIT);
  return typeof bytes === "string" ? bytes : { bytes, mediaType: "" };
}

const EXPECTED_TEXT = "expected UTF-8 text, such as Markdown, CSV, JSON or source code";

function rejectPdf(field: string): never {
  return refuse(field, `${EXPECTED_TEXT}, got a PDF: convert it to text first`);
}

function rejectBinary(field: string): never {
  return refuse(
    field,
    `${EXPECTED_TEXT}, got a binary file or another encoding: convert it to UTF-8 text first`,
  );
}

function refuse(field: string, reason: string): never {
  throw createRefusal("invalid_request", [{ field, reason }]);
}
