import { type Attachment, AttachmentError, type ReadOptions } from "./attachment.js";
import { detectFormat, readAudio } from "./read-audio.js";
import { readImage } from "./read-image.js";
import { readText } from "./read-text.js";

const PDF_TYPE = "application/pdf";
const PDF_SIGNATURE = "%PDF-";
/** Bytes by which the kind of a file is detected. */
const DETECTED_BYTES = 1024;

/**
 * Converts a file that a user has chosen, dropped or pasted to an attachment.
 * @throws {AttachmentError} if the browser cannot read it, or the model does not accept it
 * @throws {DOMException} if the reading is aborted
 */
export async function readAttachment(file: File, options: ReadOptions): Promise<Attachment> {
  const { accepts } = options;
  switch (await detectKind(file)) {
    case "pdf": {
      const { readPdf } = await loadPdfReader();
      return readPdf(file, options);
    }
    case "image":
      // An SVG is also a text.
      if (!accepts.has("image") && file.type === "image/svg+xml") return readText(file);
      expectAccepted(accepts.has("image"), file, "images");
      return readImage(file);
    case "audio":
      expectAccepted(accepts.has("audio"), file, "audio");
      return readAudio(file);
    case "text":
      return readText(file);
  }
}

async function detectKind(file: File): Promise<"pdf" | "image" | "audio" | "text"> {
  const bytes = new Uint8Array(await file.slice(0, DETECTED_BYTES).arrayBuffer());
  const beginning = new TextDecoder("latin1").decode(bytes);
  if (file.type === PDF_TYPE || beginning.startsWith(PDF_SIGNATURE)) return "pdf";
  if (file.type.startsWith("image/")) return "image";
  // Browsers take TypeScript files for videos, by their extension.
  if (/^(?:audio|video)\//.test(file.type) && beginning.includes("\0")) return "audio";
  return detectFormat(bytes) === undefined ? "text" : "audio";
}

function expectAccepted(isAccepted: boolean, { name }: File, kind: string): void {
  if (isAccepted) return;
  throw new AttachmentError(`${name}: this model does not accept ${kind}, or is not loaded yet.`);
}

/** pdf.js is larger than the page. */
async function loadPdfReader() {
  try {
    return await import("./read-pdf.js");
  } catch {
    throw new AttachmentError(
      "The PDF reader could not be loaded. Check the connection to the server, and attach the file again.",
    );
  }
}
