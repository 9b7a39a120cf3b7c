import type { GrammarSource } from "../rules/grammar-source.js";
import { readName } from "./terminals.js";

/** Imported terminal. */
export interface Import {
  /** Name in the importing grammar. */
  readonly name: string;
  readonly expression: string;
  readonly position: number;
}

const MODULE = /\.*[A-Za-z_]\w*/y;

/**
 * Reads the operand of `%import`: `common.INT`, `common.INT -> NUMBER` or `common (INT, LF)`.
 * @throws {UnsupportedGrammar}
 */
export function readImports(source: GrammarSource): readonly Import[] {
  source.skipSpace("within-line");
  const start = source.position;
  if (source.takeMatch(MODULE) !== "common") {
    throw source.createUnsupportedError(
      "expected the module common, the only supported one",
      start,
    );
  }
  if (source.take(".")) return [readRenamed(source)];
  source.skipSpace("within-line");
  if (!source.take("(")) throw source.createExpectedError("a dot or (");
  const imports: Import[] = [];
  do {
    source.skipSpace("across-lines");
    imports.push(readTerminal(source));
    source.skipSpace("across-lines");
  } while (source.take(","));
  if (!source.take(")")) throw source.createExpectedError("a comma or )");
  source.skipSpace("within-line");
  return imports;
}

function readRenamed(source: GrammarSource): Import {
  const terminal = readTerminal(source);
  source.skipSpace("within-line");
  if (!source.take("->")) return terminal;
  source.skipSpace("within-line");
  const position = source.position;
  const name = readName(source, "terminal");
  if (name === undefined) throw source.createExpectedError("the name of a terminal");
  source.skipSpace("within-line");
  return { ...terminal, name, position };
}

function readTerminal(source: GrammarSource): Import {
  const position = source.position;
  const name = readName(source, "terminal");
  if (name === undefined) throw source.createExpectedError("the name of a terminal");
  const expression = COMMON_TERMINALS.get(name);
  if (expression === undefined) {
    throw source.createUnsupportedError("expected a terminal of the module common", position);
  }
  return { name, expression, position };
}

const INT = "[0-9]+";
const EXPONENT = `[eE][+-]?${INT}`;
const DECIMAL = String.raw`${INT}\.(${INT})?|\.${INT}`;
const FLOAT = `${INT}${EXPONENT}|(${DECIMAL})(${EXPONENT})?`;
const NUMBER = `${FLOAT}|${INT}`;

/**
 * Terminals of Lark's module `common`, as regular expressions by name. Strings and comments exclude
 * their terminator, at whose first occurrence Lark's lexer would end them.
 */
const COMMON_TERMINALS: ReadonlyMap<string, string> = new Map([
  ["DIGIT", "[0-9]"],
  ["HEXDIGIT", "[0-9a-fA-F]"],
  ["INT", INT],
  ["SIGNED_INT", `[+-]?${INT}`],
  ["DECIMAL", DECIMAL],
  ["_EXP", EXPONENT],
  ["FLOAT", FLOAT],
  ["SIGNED_FLOAT", `[+-]?(${FLOAT})`],
  ["NUMBER", NUMBER],
  ["SIGNED_NUMBER", `[+-]?(${NUMBER})`],
  ["ESCAPED_STRING", String.raw`"([^"\\\n]|\\[^\n])*"`],
  ["LCASE_LETTER", "[a-z]"],
  ["UCASE_LETTER", "[A-Z]"],
  ["LETTER", "[a-zA-Z]"],
  ["WORD", "[a-zA-Z]+"],
  ["CNAME", "[_a-zA-Z][_a-zA-Z0-9]*"],
  ["WS_INLINE", String.raw`[ \t]+`],
  ["WS", String.raw`[ \t\f\r\n]+`],
  ["CR", String.raw`\r`],
  ["LF", String.raw`\n`],
  ["NEWLINE", String.raw`(\r?\n)+`],
  ["SH_COMMENT", String.raw`#[^\n]*`],
  ["CPP_COMMENT", String.raw`//[^\n]*`],
  ["C_COMMENT", String.raw`/\*([^*]|\*+[^*/])*\*+/`],
  ["SQL_COMMENT", String.raw`--[^\n]*`],
]);
