import { readFile } from "node:fs/promises";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { describeApi } from "../../src/describe-api.js";
import { version } from "../../src/version.js";
import type { OpenApiDocument } from "./open-api-document.js";

/** The copy of the description that was promised to clients. */
export const copyUrl = new URL("../../docs/openapi.json", import.meta.url);

/** The types of the typed client. */
export const typesUrl = new URL("api-types.ts", import.meta.url);

/** The description as the server of this tree gives it. */
export function servedDocument(): OpenApiDocument {
  return JSON.parse(JSON.stringify(describeApi(version)));
}

/** @returns undefined when there is no copy yet. */
export async function promisedDocument(): Promise<OpenApiDocument | undefined> {
  try {
    return JSON.parse(await readFile(copyUrl, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

export function printDocument(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The document as TypeScript's types, as openapi-typescript prints them. */
export async function printTypes(document: OpenApiDocument): Promise<string> {
  const types = await openapiTS(document as unknown as OpenAPI3, { defaultNonNullable: false });
  return `/** Written by \`npm run openapi\` from docs/openapi.json. */\n\n${astToString(types)}`;
}
