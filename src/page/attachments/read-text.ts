import { type Attachment, AttachmentError, toDataUrl } from "./attachment.js";
import { decodeText, MAX_TEXT_BYTES } from "./text-content.js";
import { estimateTokens } from "./token-estimate.js";

/** Maximum number of bytes of a character, in any of the encodings. */
const MAX_CHARACTER_BYTES = 4;

/** @throws {AttachmentError} for a binary file */
export async function readText(file: File): Promise<Attachment> {
  const beginning = file.slice(0, MAX_TEXT_BYTES + MAX_CHARACTER_BYTES);
  const content = decodeText(new Uint8Array(await beginning.arrayBuffer()), file.size);
  if (content === undefined) {
    throw new AttachmentError(
      `${file.name} is not a text. Attach plain text, Markdown, CSV, JSON, code or PDF files, and images or audio if the model accepts them.`,
    );
  }
  if (content.text.trim() === "") throw new AttachmentError(`${file.name} is empty.`);
  return toDocument(file.name, content.text, content.note);
}

/** Builds the attachment of a document's text. */
export async function toDocument(name: string, text: string, note?: string): Promise<Attachment> {
  const blob = new Blob([text], { type: "text/plain" });
  const part = { type: "input_file", filename: name, file_data: await toDataUrl(blob) } as const;
  const tokens = estimateTokens(text);
  return { kind: "document", name, bytes: blob.size, tokens, note, parts: [part] };
}
