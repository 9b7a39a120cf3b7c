import type { GrammarSource } from "../rules/grammar-source.js";
import { COMMON_TERMINALS } from "./common-terminals.js";
import { readName } from "./names.js";

/** A terminal that is imported. */
export interface Import {
  /** By which the grammar knows it. */
  readonly name: string;
  readonly expression: string;
  readonly position: number;
}

const MODULE = /\.*[A-Za-z_]\w*/y;

/**
 * Reads what stands behind `%import`: `common.INT`, `common.INT -> NUMBER` or `common (INT, LF)`.
 * @throws {UnsupportedGrammar}
 */
export function readImports(source: GrammarSource): readonly Import[] {
  source.skipSpace("within-line");
  const start = source.position;
  if (source.takeMatch(MODULE) !== "common") {
    throw source.unsupported("expected the module common: there is no other", start);
  }
  if (source.take(".")) return [readRenamed(source)];
  source.skipSpace("within-line");
  if (!source.take("(")) throw source.expected("a dot or (");
  const imports: Import[] = [];
  do {
    source.skipSpace("across-lines");
    imports.push(readTerminal(source));
    source.skipSpace("across-lines");
  } while (source.take(","));
  if (!source.take(")")) throw source.expected("a comma or )");
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
  if (name === undefined) throw source.expected("the name of a terminal");
  source.skipSpace("within-line");
  return { ...terminal, name, position };
}

function readTerminal(source: GrammarSource): Import {
  const position = source.position;
  const name = readName(source, "terminal");
  if (name === undefined) throw source.expected("the name of a terminal");
  const expression = COMMON_TERMINALS.get(name);
  if (expression === undefined) {
    throw source.unsupported("expected a terminal of the module common", position);
  }
  return { name, expression, position };
}
