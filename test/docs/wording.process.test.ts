import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findFiles, readPassages, root } from "./passages.js";

/** Wording that the style rules of CONTRIBUTING.md exclude, each with its replacement. */
const WORDING: readonly (readonly [pattern: string, replacement: string])[] = [
  ["rooms|(?:the|import) walls|npm run walls|the house", "modules, import boundaries"],
  ["told(?! apart)|tell(?:s|ing)(?! (?:\\w+ )*apart)|teller", "reports, notifies, receives"],
  ["hears?(?! back)", "receives, observes, accepts audio"],
  ["besides?", "alongside, in addition to, next to"],
  ["as often as", "the same number of times as"],
  ["(?:some|no|any|every)body|who(?:m|se)?ever", "the client, caller, user or process"],
  ["those (?:that|which|who)", "the noun, without a pronoun"],
  ["(?:of|on) (?:its|their) own(?=[.,;:)]| (?:for|in|to)\\b|$)", "a separate ..., alone"],
  ["for ever", "forever, never"],
  ["joins? the line|in the line(?= of (?:callers|requests))", "queue"],
  ["(?:engine|process|worker)(?:es|s)? (?:is|are|was|were) lost", "the process exited, crashed"],
  ["(?:loss(?:es)?|lost) of (?:an|the) (?:engine|process)|lost (?:engine|process)", "crash"],
  ["(?:the|a|its|peer) peer(?:s|'s)?", "llama-server, the compared server"],
  ["(?:the|our|other) other sides?(?:'s)?(?! of)", "the name of the program"],
  ["takes? turns|in turns|callers?'?s? turns?", "alternate, in slices, fair share"],
  ["asked-for", "requested, on demand"],
  ["will not do", "is not enough"],
  ["what holds", "the effective settings"],
  ["but for", "except for"],
  ["go(?:es)? on", "continues"],
  ["anew|afresh", "again"],
  ["seldom|whence|lest|hitherto|wherein|thereof|therein|whereof", "rarely, from which, in which"],
  ["(?:the|live|no) figures", "metrics, results"],
  ["vectors of (?:the |a )?texts?", "embeddings"],
  ["words (?:that )?the model may", "vocabulary, allowed tokens"],
  ["made when idle", "lazily initialised"],
  ["not (?:without|un(?:like|common|usual|reasonable|related)\\w*)", "the positive statement"],
  [
    "(?:^|(?<=\\. ))What (?![^.?]*\\?)(?:is|was|are|were|it|they|an?|the|can|may|has|hangs)",
    "a noun phrase",
  ],
];

const excluded = new RegExp(
  `(?<![\\w-])(?:${WORDING.map(([pattern]) => `(${pattern})`).join("|")})(?![\\w-])`,
  "gi",
);

/** Excluded wording in a text, outside code, each with its replacement. */
function findWording(text: string): string[] {
  const prose = text
    .replaceAll(/`[^`]*`|@param \S+/g, "`")
    .replaceAll(/\n[ \t]*(?:\*|\/\/)?[ \t]*/g, " ")
    .replace(/^[*\s]+/, "");
  return [...prose.matchAll(excluded)].map(({ index, 0: found, ...groups }) => {
    const replacement = WORDING.find((_, row) => groups[row + 1] !== undefined)?.[1];
    const context = prose.slice(Math.max(0, index - 60), index + found.length + 60);
    return `"${found}" in "${context}": write ${replacement}`;
  });
}

function findIn(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    readPassages(path).flatMap(({ line, text }) =>
      findWording(text).map((found) => `${path}:${line()}: ${found}`),
    ),
  );
}

describe("excluded wording", () => {
  it.each([
    ["what is told of models", 2],
    ["a queue of its own", 1],
    ["`beside` in code", 0],
    ["the two cannot be told apart", 0],
    ["with its own queue", 0],
  ])("is found in %j", (text, count) => {
    expect(findWording(text)).toHaveLength(count);
  });

  it.each(["src", "bench", "docs", "deploy", "models", "test"])(
    "does not occur in %s",
    (folder) => {
      expect(findIn(findFiles(folder))).toEqual([]);
    },
  );

  it("does not occur in the pages of the root folder", () => {
    expect(findIn(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])).toEqual([]);
  });
});

describe("the README", () => {
  const readme = readFileSync(join(root, "README.md"), "utf8");

  it("has at most 120 lines", () => {
    expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(120);
  });

  it("has sentences of at most 30 words", () => {
    const prose = readme.replaceAll(/^(?:```.*?^```|(?:<!--|\||!\[)[^\n]*)$|\*\*/gms, "");
    const sentences = prose.split(/[.?!]\s|\n(?=[A-Z#\n-])/);
    expect(sentences.filter((sentence) => sentence.split(/\s+/).length > 30)).toEqual([]);
  });
});
