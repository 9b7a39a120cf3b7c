import { stringify } from "yaml";
import type { ApiDocument } from "./document.js";

export const descriptionFormats = ["json", "yaml"] as const;

export type DescriptionFormat = (typeof descriptionFormats)[number];

/**
 * The texts of the OpenAPI description, as UTF-8. Making them takes a second of computing: a server that did it while it
 * serves would stand still.
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
