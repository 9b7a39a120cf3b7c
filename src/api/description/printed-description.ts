import { stringify } from "yaml";
import { computeEntityTag } from "../../validation/entity-tag.js";
import type { ApiDocument } from "./document.js";

export const descriptionFormats = ["json", "yaml"] as const;

export type DescriptionFormat = (typeof descriptionFormats)[number];

/**
 * Provides the OpenAPI description as UTF-8, in either format. Asynchronous, because serialising it
 * would block the event loop for a second.
 */
export type PrintedDescription = (format: DescriptionFormat) => Promise<Buffer>;

/** Serialises a document in the given format. */
export function printDescription(document: ApiDocument, format: DescriptionFormat): string {
  switch (format) {
    case "json":
      return `${JSON.stringify(document, null, 2)}\n`;
    case "yaml":
      return stringify(document, { aliasDuplicateObjects: false });
  }
}

/** Serialised description and its entity tag. */
export interface Representation {
  readonly mediaType: string;
  readonly text: Buffer;
  readonly etag: string;
}

/** Provides the description as it is sent, in either format. */
export type Representations = (format: DescriptionFormat) => Promise<Representation>;

/**
 * Reads each format once, when it is first requested. The next request repeats a failed read.
 * @param pathPrefix path that the paths of all routes begin with
 */
export function createRepresentations(
  readDescription: PrintedDescription,
  pathPrefix = "",
): Representations {
  const representations = new Map<DescriptionFormat, Promise<Representation>>();
  return (format) => {
    const cachedRepresentation = representations.get(format);
    if (cachedRepresentation !== undefined) return cachedRepresentation;
    const pendingRead = represent(readDescription, format, pathPrefix).catch((error: unknown) => {
      representations.delete(format);
      throw error;
    });
    representations.set(format, pendingRead);
    return pendingRead;
  };
}

async function represent(
  readPrinted: PrintedDescription,
  format: DescriptionFormat,
  pathPrefix: string,
): Promise<Representation> {
  const text = underPrefix(await readPrinted(format), format, pathPrefix);
  return { mediaType: `application/${format}`, text, etag: computeEntityTag(text) };
}

/** Matches the server's URL in `servers`, which precedes all other URLs in each format. */
const SERVER_URL = { json: /"url": "\/"/, yaml: /url: \/$/m } as const;

/** Returns the description of a server that is served under a prefix. */
function underPrefix(text: Buffer, format: DescriptionFormat, prefix: string): Buffer {
  if (prefix === "") return text;
  const replaced = text
    .toString("utf8")
    .replace(SERVER_URL[format], (url) => url.replace("/", prefix));
  return Buffer.from(replaced);
}
