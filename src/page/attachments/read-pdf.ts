import {
  getDocument,
  InvalidPDFException,
  type PDFDocumentProxy,
  type PDFPageProxy,
  PDFWorker,
  VerbosityLevel,
} from "pdfjs-dist/legacy/build/pdf.mjs";
import { formatBytes } from "../../live-metrics/units.js";
import {
  type Attachment,
  AttachmentError,
  type FilePart,
  type ReadOptions,
  toDataUrl,
} from "./attachment.js";
import { joinPages, joinTextItems, type PdfPage } from "./pdf-text.js";
import { PdfDataFiles, startPdfWorker } from "./pdf-worker.js";
import { toDocument } from "./read-text.js";
import { MAX_TEXT_BYTES } from "./text-content.js";

const MAX_FILE_BYTES = 100_000_000;
const MAX_PAGES = 500;
/** Maximum number of pages attached as images. */
const MAX_IMAGES = 16;
/** Length of the longer side of a page as an image. */
const IMAGE_SIDE_PIXELS = 1600;
const IMAGE_QUALITY = 0.85;
/** Images of a page with more pixels are not drawn. */
const MAX_IMAGE_PIXELS = 64 * 10 ** 6;

/**
 * Reads the text of a PDF, page by page. Where the model accepts images, pages without text become
 * images.
 * @throws {AttachmentError} if the PDF has neither, is encrypted, damaged or too large
 */
export async function readPdf(file: File, options: ReadOptions): Promise<Attachment> {
  if (file.size > MAX_FILE_BYTES) {
    const [size, limit] = [file.size, MAX_FILE_BYTES].map(formatBytes);
    throw new AttachmentError(`${file.name} has ${size}, more than ${limit}.`);
  }
  // The code of this module may have arrived after the reading was aborted.
  options.signal.throwIfAborted();
  const port = startPdfWorker();
  const failure = new Promise<never>((_, reject) => {
    port.addEventListener("error", () => reject(new Error("the reader has stopped")));
    options.signal.addEventListener("abort", () => reject(options.signal.reason));
  });
  try {
    const reading = open(new Uint8Array(await file.arrayBuffer()), port).then((document) =>
      readDocument(file.name, document, options),
    );
    return await Promise.race([reading, failure]);
  } catch (error) {
    options.signal.throwIfAborted();
    throw error instanceof AttachmentError ? error : new AttachmentError(explain(error, file.name));
  } finally {
    port.terminate();
  }
}

function open(data: Uint8Array, port: Worker): Promise<PDFDocumentProxy> {
  return getDocument({
    data,
    worker: PDFWorker.create({ port }),
    // The policies of the page and of the worker permit no code from a text.
    isEvalSupported: false,
    useWorkerFetch: false,
    BinaryDataFactory: PdfDataFiles,
    maxImageSize: MAX_IMAGE_PIXELS,
    verbosity: VerbosityLevel.ERRORS,
  }).promise;
}

async function readDocument(
  name: string,
  document: PDFDocumentProxy,
  { accepts, onProgress, signal }: ReadOptions,
): Promise<Attachment> {
  const total = document.numPages;
  const pages: PdfPage[] = [];
  const images: FilePart[] = [];
  let characters = 0;
  for (let number = 1; number <= Math.min(total, MAX_PAGES); number++) {
    signal.throwIfAborted();
    onProgress(`page ${number} of ${total}`);
    const page = await document.getPage(number);
    const text = joinTextItems((await page.getTextContent()).items);
    const isImage = text === "" && accepts.has("image") && images.length < MAX_IMAGES;
    if (isImage) images.push({ type: "input_image", image_url: await draw(page) });
    page.cleanup();
    pages.push({ number, text, isImage });
    characters += text.length;
    if (characters > MAX_TEXT_BYTES) break;
  }
  if (characters === 0 && images.length === 0) throw new AttachmentError(noText(name));
  const { text, note } = joinPages(pages, total);
  const attached = await toDocument(name, text, note);
  return { ...attached, parts: [...attached.parts, ...images] };
}

/** Draws a page. @returns a `data:` URL */
async function draw(page: PDFPageProxy): Promise<string> {
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: IMAGE_SIDE_PIXELS / Math.max(width, height) });
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(viewport.width);
  canvas.height = Math.ceil(viewport.height);
  await page.render({ canvas, viewport }).promise;
  const blob = await new Promise<Blob | null>((resolve) =>
    canvas.toBlob(resolve, "image/jpeg", IMAGE_QUALITY),
  );
  if (blob === null) throw new AttachmentError("This browser cannot draw the pages of the PDF.");
  return toDataUrl(blob);
}

function noText(name: string): string {
  return `${name} has no text: its pages are probably scans. A model that accepts images can read it, or attach a version with text recognition.`;
}

/** Explains an error of pdf.js. */
function explain(error: unknown, name: string): string {
  if (error instanceof Error && error.name === "PasswordException") {
    return `${name} is encrypted. Remove its password, and attach it again.`;
  }
  if (error instanceof InvalidPDFException) {
    return `${name} is damaged, or not a PDF.`;
  }
  return `${name} could not be read: ${error instanceof Error ? error.message : String(error)}.`;
}
