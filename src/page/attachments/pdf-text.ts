import { formatBytes } from "../../live-metrics/units.js";
import { cutText, MAX_TEXT_BYTES } from "./text-content.js";

/** A piece of text on a page, as pdf.js reports it. */
export interface TextItem {
  readonly str: string;
  /** Whether a line ends after it. */
  readonly hasEOL: boolean;
}

/** Joins the pieces of a page to lines. Marks of structure have no text. */
export function joinTextItems(items: readonly (TextItem | { readonly type: string })[]): string {
  const text = items
    .map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : ""))
    .join("");
  return text.replaceAll("\0", "").trim();
}

/** A page as it was read. */
export interface PdfPage {
  readonly number: number;
  /** Empty: the page has no text. */
  readonly text: string;
  /** Whether the page is attached as an image. */
  readonly isImage: boolean;
}

/** Joins the pages of a document, and describes what is missing. @param total number of all pages */
export function joinPages(
  pages: readonly PdfPage[],
  total: number,
): { readonly text: string; readonly note: string | undefined } {
  const whole = pages
    .filter(({ text, isImage }) => text !== "" || isImage)
    .map(({ number, text, isImage }) =>
      isImage ? `[Page ${number}: image]` : `[Page ${number}]\n${text}`,
    )
    .join("\n\n");
  const text = cutText(whole);
  const images = pages.filter(({ isImage }) => isImage).length;
  const missing = pages.filter((page) => page.text === "" && !page.isImage);
  const notes = [
    pages.length < total && `Only the first ${pages.length} of ${total} pages are attached.`,
    text.length < whole.length &&
      `Only the first ${formatBytes(MAX_TEXT_BYTES)} of the text are attached.`,
    images > 0 && `${images === 1 ? "1 page" : `${images} pages`} without text attached as images.`,
    missing.length > 0 && `Left out, without text: ${listPages(missing)}.`,
  ].filter((note) => note !== false);
  return { text, note: notes.length === 0 ? undefined : notes.join(" ") };
}

/** Maximum number of pages that are named. */
const MAX_NAMED = 5;

function listPages(pages: readonly PdfPage[]): string {
  if (pages.length === 1) return `page ${pages[0]?.number}`;
  if (pages.length > MAX_NAMED) return `${pages.length} pages`;
  return `pages ${pages.map(({ number }) => number).join(", ")}`;
}
