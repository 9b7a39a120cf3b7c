import { stringify } from "yaml";
import type { ApiDocument } from "./document.js";

export const descriptionFormats = ["json", "yaml"] as const;

export type DescriptionFormat = (typeof descriptionFormats)[number];

/**
 * The texts of the OpenAPI description, as UTF-8. Printing them takes a second of computing, in which the event loop would
 * be blocked.
 */
export type PrintedDescription = (format: DescriptionFormat) => Promise<Buffer>;

/** Prints a document in one of the formats. */
export function printDescription(document: ApiDocument, format: DescriptionFormat): string {
  switch (format) {
    case "json":
      return `${JSON.stringify(document, null, 2)}\n`;
    case "yaml":
      return stringify(document, { aliasDuplicateObjects: false });
  }
}
