import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "vite";

/** A text for readers. */
export interface Passage {
  /** Number of its first line. */
  readonly line: () => number;
  readonly text: string;
}

export const root = fileURLToPath(new URL("../../", import.meta.url));
/** Folders whose string literals are messages, descriptions and labels, not sample texts. */
const MESSAGES = /^(?:src|docs|deploy)\//;
/** Sample texts, records of the past, downloaded sources, and the list above. */
const EXCLUDED =
  /node_modules|contract\/api-types|decisions\/|training\/conversations\.md|bench\/prompts\/|docs\/wording\.process\.test\.ts/;

/** Files of a folder whose text is checked, by their paths in the repository. */
export function findFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !EXCLUDED.test(path));
}

function lineAt(source: string, index: number): () => number {
  return () => source.slice(0, index).split("\n").length;
}

/** Prose without code; of the changelog, the unreleased part. */
function readMarkdown(path: string): Passage[] {
  const prose = readFileSync(join(root, path), "utf8")
    .replace(/^## \[\d.*/ms, "")
    .replaceAll(/^```.*?^```/gms, (code) => code.replaceAll(/[^\n]/g, ""))
    .replaceAll(/\]\([^)]*\)|"[^"\n]*"/g, "]");
  return prose.split("\n").map((text, index) => ({ line: () => index + 1, text }));
}

/** Comments and string literals of C++. */
function readNative(path: string): Passage[] {
  const source = readFileSync(join(root, path), "utf8");
  const passages = /(?:[ \t]*\/\/.*\n)+|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g;
  return [...source.matchAll(passages)].map(({ 0: text, index }) => ({
    line: lineAt(source, index),
    text,
  }));
}

/** The first argument of `it(...)`, `describe.each(...)(...)` and the like is a title. */
const isTitled = (callee: string) => /^(?:it|test|describe)\b/.test(callee);

/** Comments, and either messages or titles of tests. */
function readScript(path: string): Passage[] {
  const source = readFileSync(join(root, path), "utf8");
  const { comments, program } = parseSync(path, source);
  const passages: Passage[] = [];
  const add = (start: number, text: string) => {
    if (text.includes(" ")) passages.push({ line: lineAt(source, start), text });
  };
  let end = -1;
  let run = { start: -1, text: "" };
  for (const { type, start, end: commentEnd, value } of comments) {
    const isContinued = type === "Line" && /^\n[ \t]*$/.test(source.slice(end, start));
    if (!isContinued) {
      add(run.start, run.text);
      run = { start, text: "" };
    }
    run.text += `${value}\n`;
    end = type === "Line" ? commentEnd : -1;
  }
  add(run.start, run.text);
  if (MESSAGES.test(path)) {
    new Visitor({
      Literal: ({ start, value }) => typeof value === "string" && add(start, value),
      TemplateElement: ({ start, value }) => add(start, value.raw),
      JSXText: ({ start, value }) => add(start, value),
    }).visit(program);
  } else {
    new Visitor({
      CallExpression({ callee, arguments: [title] }) {
        if (title === undefined || !isTitled(source.slice(callee.start, callee.end))) return;
        if (title.type === "Literal" || title.type === "TemplateLiteral") {
          add(title.start, source.slice(title.start + 1, title.end - 1));
        }
      },
    }).visit(program);
  }
  return passages;
}

/** Texts for readers in a file: prose of Markdown; comments, messages and test titles of code. */
export function readPassages(path: string): Passage[] {
  if (path.endsWith(".md")) return readMarkdown(path);
  if (/\.(?:h|cpp)$/.test(path)) return readNative(path);
  return /\.(?:tsx?|mjs|cjs)$/.test(path) ? readScript(path) : [];
}
