import { createHash } from "node:crypto";
import { stringify } from "yaml";

/** Data of a template. */
export interface TemplateData {
  readonly Release: { readonly Name: string };
  readonly Values: object;
}

/** A condition whose text is being rendered. */
interface OpenCondition {
  readonly isMet: boolean;
}

/** Comments and actions, which remove the white space next to a dash. */
const ACTION = /\{\{(-)?\s*(.*?)\s*(-)?\}\}/gs;

/**
 * Result of `helm template` for one template, as far as the chart needs it: paths, `toYaml`,
 * `toJson`, `toPrettyJson`, `nindent`, `sha256sum`, and `if` with `not` and `eq`.
 * @throws for any other action
 */
export function renderTemplate(template: string, data: TemplateData): string {
  let rendered = "";
  let end = 0;
  let trimsNext = false;
  const conditions: OpenCondition[] = [];
  const append = (text: string) => {
    if (conditions.every(({ isMet }) => isMet)) rendered += text;
  };
  for (const match of template.matchAll(ACTION)) {
    const [whole, trimsBefore, action = "", trimsAfter] = match;
    const text = template.slice(end, match.index);
    const before = trimsNext ? text.trimStart() : text;
    append(trimsBefore === undefined ? before : before.trimEnd());
    const [keyword, ...condition] = action.split(" ");
    if (keyword === "if") conditions.push({ isMet: isTrue(condition, data) });
    else if (keyword === "end") closeCondition(conditions);
    else if (!action.startsWith("/*")) append(evaluate(action, data));
    end = match.index + whole.length;
    trimsNext = trimsAfter !== undefined;
  }
  if (conditions.length > 0) throw new Error("expected {{ end }}");
  const rest = template.slice(end);
  append(trimsNext ? rest.trimStart() : rest);
  return rendered;
}

function closeCondition(conditions: OpenCondition[]): void {
  if (conditions.pop() === undefined) throw new Error("unexpected {{ end }}");
}

function isTrue([first = "", ...others]: readonly string[], data: TemplateData): boolean {
  if (first === "not") return !isTrue(others, data);
  if (first === "eq") {
    const [path = "", literal = ""] = others;
    return find(path, data) === JSON.parse(literal);
  }
  if (others.length > 0) throw new Error(`unknown condition: ${[first, ...others].join(" ")}`);
  return Boolean(find(first, data));
}

/** Evaluates a pipeline, whose first command may be a function of a path. */
function evaluate(action: string, data: TemplateData): string {
  const [source = "", ...filters] = action.split(" | ");
  const [name = "", path] = source.split(" ");
  const initial = path === undefined ? find(name, data) : print(name, find(path, data));
  return String(filters.reduce(filter, initial));
}

function find(path: string, data: TemplateData): unknown {
  const [root, ...names] = path.split(".");
  if (root !== "" || names.length === 0) throw new Error(`expected a path, got ${path}`);
  return names.reduce<unknown>((value, name) => {
    if (typeof value !== "object" || value === null || !(name in value)) {
      throw new Error(`there is no ${path}`);
    }
    return (value as Record<string, unknown>)[name];
  }, data);
}

function print(name: string, value: unknown): string {
  if (name === "toYaml") return stringify(value).trimEnd();
  if (name === "toJson") return JSON.stringify(value);
  if (name === "toPrettyJson") return JSON.stringify(value, undefined, 2);
  throw new Error(`unknown function: ${name}`);
}

function filter(value: unknown, command: string): string {
  const [name, argument] = command.split(" ");
  if (name === "sha256sum") return createHash("sha256").update(String(value)).digest("hex");
  if (name !== "nindent") throw new Error(`unknown filter: ${command}`);
  const indent = " ".repeat(Number(argument));
  return `\n${String(value).replaceAll(/^/gm, indent)}`;
}
