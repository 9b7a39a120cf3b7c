import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("answers/", import.meta.url);

/** Answers as models write them, by name. */
export function readAnswers(): ReadonlyMap<string, string> {
  const files = readdirSync(folder).toSorted();
  const texts = files.map((file) => readFileSync(new URL(file, folder), "utf8"));
  const sections = texts.flatMap((text) => text.split(/^=== /m).slice(1));
  return new Map(
    sections.map((section) => {
      const [name = "", text = ""] = section.split(/\n(.*)/s, 2);
      return [name, text.trimEnd()];
    }),
  );
}
