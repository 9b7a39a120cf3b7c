import { readFileSync } from "node:fs";

/** The package version. */
export const { version } = JSON.parse(
  readFileSync(new URL("../package.json", import.meta.url), "utf8"),
) as { readonly version: string };
