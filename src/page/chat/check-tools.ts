/**
 * Checks tools as typed in the chat settings, before they are saved: the server would reject them
 * only with the next question.
 */

/** Names that the server accepts for tools. */
const TOOL_NAME = /^[\w.-]{1,64}$/;
const SCHEMA_TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
/** Keywords whose values are schemas by name, one schema, or a list of schemas. */
const SCHEMA_MAPS = ["properties", "patternProperties", "$defs", "definitions"];
const SCHEMA_MEMBERS = ["items", "additionalProperties", "not"];
const SCHEMA_LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
/** Depth at which the check stops; the server has the last word. */
const MAX_DEPTH = 20;

type Fields = Readonly<Record<string, unknown>>;

/** Describes the first problem in a tools text; `undefined`: none. */
export function findToolsProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? ` ${error.message}.` : "";
    return `Expected JSON: an array of tools.${reason}`;
  }
  if (!Array.isArray(parsed)) return "Expected an array of tools, [ … ].";
  return findToolProblem(parsed, (index) => `Tool ${index + 1}`) ?? findRepeatedName(parsed);
}

function findToolProblem(
  tools: readonly unknown[],
  nameOf: (index: number) => string,
): string | undefined {
  for (const [index, tool] of tools.entries()) {
    const problem = checkTool(tool, nameOf(index));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkTool(tool: unknown, position: string): string | undefined {
  if (!isFields(tool)) return `${position}: expected an object, got ${describe(tool)}.`;
  const { type, name, description, tools } = tool;
  const title = typeof name === "string" && name !== "" ? `${position} (${name})` : position;
  if (typeof type !== "string") return `${title}: type: ${expected('"function"', type)}`;
  // Other types, such as "shell", have fields that only the server knows.
  if (type !== "function" && type !== "custom" && type !== "namespace") return undefined;
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    return `${title}: name: ${expected("1 to 64 letters, digits, _, . or -", name)}`;
  }
  if (description !== undefined && description !== null && typeof description !== "string") {
    return `${title}: description: ${expected("a text", description)}`;
  }
  if (type === "namespace") {
    if (!Array.isArray(tools)) return `${title}: tools: ${expected("an array of tools", tools)}`;
    return findToolProblem(tools, (index) => `${title}, tool ${index + 1}`);
  }
  if (type === "custom") return undefined;
  const problem = checkParameters(tool.parameters);
  return problem && `${title}: ${problem}`;
}

function checkParameters(parameters: unknown): string | undefined {
  if (parameters === undefined || parameters === null) return undefined;
  if (!isFields(parameters)) return `parameters: ${expected("a JSON Schema", parameters)}`;
  const { type } = parameters;
  if (type !== undefined && type !== "object") {
    return `parameters.type: ${expected('"object"', type)}`;
  }
  return checkSchema(parameters, "parameters", 0);
}

function checkSchema(schema: unknown, path: string, depth: number): string | undefined {
  if (typeof schema === "boolean" || depth > MAX_DEPTH) return undefined;
  if (!isFields(schema)) return `${path}: ${expected("a JSON Schema", schema)}`;
  return checkKeywords(schema, path) ?? checkSubschemas(schema, path, depth);
}

function checkKeywords(schema: Fields, path: string): string | undefined {
  const { type, required, enum: values } = schema;
  const types = Array.isArray(type) ? type : [type];
  const unknownType = types.find((one) => one !== undefined && !SCHEMA_TYPES.includes(one));
  if (unknownType !== undefined) {
    return `${path}.type: ${expected(`one of ${SCHEMA_TYPES.join(", ")}`, unknownType)}`;
  }
  if (required !== undefined && !isTexts(required)) {
    return `${path}.required: ${expected("an array of names", required)}`;
  }
  if (values !== undefined && !Array.isArray(values)) {
    return `${path}.enum: ${expected("an array of values", values)}`;
  }
  return undefined;
}

function checkSubschemas(schema: Fields, path: string, depth: number): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}.${keyword}`;
    const problem = checkSubschema(keyword, value, at, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkSubschema(
  keyword: string,
  value: unknown,
  at: string,
  depth: number,
): string | undefined {
  if (SCHEMA_MEMBERS.includes(keyword)) return checkSchema(value, at, depth);
  const isMap = SCHEMA_MAPS.includes(keyword);
  if (isMap && !isFields(value)) return `${at}: ${expected("schemas by name", value)}`;
  const isList = SCHEMA_LISTS.includes(keyword);
  if (isList && !Array.isArray(value)) return `${at}: ${expected("an array of schemas", value)}`;
  if (!isMap && !isList) return undefined;
  for (const [name, one] of Object.entries(value as object)) {
    const problem = checkSchema(one, `${at}.${name}`, depth);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function findRepeatedName(tools: readonly Fields[]): string | undefined {
  const names = tools.flatMap(({ name }) => (typeof name === "string" ? [name] : []));
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined
    ? undefined
    : `Tool ${names.lastIndexOf(repeated) + 1} (${repeated}): name: expected another name than that of an earlier tool.`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function expected(what: string, got: unknown): string {
  return `expected ${what}, got ${describe(got)}.`;
}

const MAX_SHOWN_CHARACTERS = 40;

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN_CHARACTERS ? text : `${text.slice(0, MAX_SHOWN_CHARACTERS)}…`;
}
