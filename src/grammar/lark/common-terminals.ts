const INT = "[0-9]+";
const EXPONENT = `[eE][+-]?${INT}`;
const DECIMAL = String.raw`${INT}\.(${INT})?|\.${INT}`;
const FLOAT = `${INT}${EXPONENT}|(${DECIMAL})(${EXPONENT})?`;
const NUMBER = `${FLOAT}|${INT}`;

/**
 * The terminals of Lark's module `common`, by name, as expressions. What its lexer ends at the first quote, or at the first
 * star and slash, cannot contain them here.
 */
export const COMMON_TERMINALS: ReadonlyMap<string, string> = new Map([
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
