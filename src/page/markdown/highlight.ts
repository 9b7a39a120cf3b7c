import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { sanitizeMarkup } from "./safe-html.js";

const languages = {
  ...{ bash, c, cpp, csharp, css, diff, dockerfile, go, ini, java, javascript, json, kotlin },
  ...{ markdown, php, python, ruby, rust, sql, swift, typescript, xml, yaml },
};

for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** Maximum length of highlighted code, because highlighting takes time in proportion. */
const MAX_CHARACTERS = 50_000;

/**
 * Highlights code as sanitised markup.
 * @param language any name of the language
 * @returns `undefined` if the language is unknown or the code too long
 */
export function highlight(code: string, language: string): string | undefined {
  if (code.length > MAX_CHARACTERS || hljs.getLanguage(language) === undefined) return undefined;
  return sanitizeMarkup(hljs.highlight(code, { language, ignoreIllegals: true }).value);
}
