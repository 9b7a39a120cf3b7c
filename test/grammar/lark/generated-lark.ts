import type { Draw } from "../../support/sample-grammar.js";
import type { GeneratedRules } from "../gbnf/generated-gbnf.js";

type Options = GeneratedRules[number];
type Part = Options[number][number];

/** Generated rules in Lark's notation, in one of many ways to write them. */
export function writtenInLark(rules: GeneratedRules, draw: Draw): string {
  const terminals: string[] = [];
  const space = () => ["", " ", "\t"][draw(3)] ?? "";
  const terminal = (value: string): string => {
    if (draw(4) > 0) return value;
    terminals.push(`T${terminals.length}${space()}:${space()}${value}`);
    return `T${terminals.length - 1}`;
  };
  const writeOptions = (options: Options, isNested: boolean): string =>
    options
      .map((parts) => parts.map((part) => writePart(part)).join(isNested ? " \n " : " "))
      .join(["|", " | ", "\n  // or\n |"][draw(3)] ?? "|");
  const writePart = (part: Part): string => {
    switch (part.kind) {
      case "literal":
        return terminal(
          draw(2) === 0
            ? `"${part.characters.map((one) => writeCharacter(one, '"\\', draw)).join("")}"`
            : `/${part.characters.map((one) => writeInExpression(one, draw)).join("")}/`,
        );
      case "class": {
        const ranges = part.ranges.map(([first, last]) => {
          if (part.isNegated || first === last) return "";
          return `"${writeCharacter(first, '"\\', draw)}".."${writeCharacter(last, '"\\', draw)}"`;
        });
        const [range] = ranges;
        if (ranges.length === 1 && range) return terminal(range);
        const inside = part.ranges
          .map(
            ([first, last]) => `${writeInExpression(first, draw)}-${writeInExpression(last, draw)}`,
          )
          .join("");
        return terminal(`/[${part.isNegated ? "^" : ""}${inside}]/`);
      }
      case "any":
        return terminal(["/./s", "/(.|\\n)/", "/(?s:.)/"][draw(3)] ?? "/./s");
      case "reference":
        return nameOf(part.rule);
      case "group":
        return `(${space()}${writeOptions(part.options, true)}${space()})`;
      case "repeat": {
        const of = writePart(part.of);
        if (part.min === 0 && part.max === 1 && draw(2) === 0) return `[${of}]`;
        return `${of}${space()}${writeBounds(part, draw)}`;
      }
    }
  };
  const written = rules.map(
    (options, index) =>
      `${["", "?", "!"][draw(3)]}${nameOf(index)}${space()}:${space()}${writeOptions(options, false)}`,
  );
  return [...written, ...terminals].join(["\n", "\r\n", "\n\n# between rules\n"][draw(3)]);
}

function nameOf(rule: number): string {
  return rule === 0 ? "start" : `rule-${rule}`;
}

function writeBounds({ min, max }: { readonly min: number; readonly max?: number }, draw: Draw) {
  if (min === 0 && max === undefined && draw(2) === 0) return "*";
  if (min === 1 && max === undefined && draw(2) === 0) return "+";
  if (min === 0 && max === 1 && draw(2) === 0) return "?";
  if (min === max && draw(2) === 0) return draw(2) === 0 ? `~${min}` : `{${min}}`;
  if (max !== undefined && draw(2) === 0) return `~ ${min}..${max}`;
  return `{${min},${max ?? ""}}`;
}

function writeCharacter(one: string, reserved: string, draw: Draw): string {
  const hexadecimal = (one.codePointAt(0) ?? 0).toString(16);
  const long = `\\U${hexadecimal.padStart(8, "0")}`;
  if (one === "\n") return ["\\n", "\\x0a", long][draw(3)] ?? long;
  const forms = reserved.includes(one) ? [`\\${one}`, long] : [one, one, long];
  return forms[draw(forms.length)] ?? long;
}

function writeInExpression(one: string, draw: Draw): string {
  const code = `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`;
  if (one === "\n") return "\\n";
  if (!/[a-z0-9é😀 "]/u.test(one)) return draw(2) === 0 ? `\\${one}` : code;
  return draw(3) === 0 ? code : one;
}
