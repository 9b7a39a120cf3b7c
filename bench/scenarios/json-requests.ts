import type { ServerKind } from "../servers/server.js";

/** Whether the answer is constrained, or the same prompt is answered freely. */
export type Decoding = "constrained" | "free";

/** Name of the tool, of schemas and of grammars. */
const NAME = "answer";

/** Fields of a request's body that constrain its answer. */
export function controlMembers(
  control: Control,
  decoding: Decoding,
  server: ServerKind,
): Readonly<Record<string, unknown>> {
  if (control.kind === "tool-call") {
    const tool = { name: NAME, description: "Takes the answer.", parameters: control.schema };
    const choice = decoding === "constrained" ? "required" : freeToolChoice(server);
    return {
      tools: [{ type: "function", function: tool }],
      tool_choice: choice,
      parallel_tool_calls: false,
    };
  }
  if (decoding === "free") return {};
  switch (control.kind) {
    case "schema": {
      const json_schema = { name: NAME, strict: true, schema: control.schema };
      return { response_format: { type: "json_schema", json_schema } };
    }
    case "regex":
      return server === "llama-server"
        ? { grammar: control.gbnf }
        : { structured_outputs: { regex: control.regex } };
  }
}

/**
 * Tool choice with which the prompt contains the tool and the answer is unconstrained: ggufd omits
 * tools from the prompt for `none`, and llama-server constrains a call that begins for `auto`.
 */
function freeToolChoice(server: ServerKind): "auto" | "none" {
  return server === "ggufd" ? "auto" : "none";
}

/**
 * Requests of `json`: ten kinds of constrained answers. Lengths and numbers are bounded, so that an
 * answer ends by itself even with random weights; only the recursive one may be unbounded.
 */

/** Constraint on an answer. */
export type Control =
  | { readonly kind: "schema"; readonly schema: object }
  /** Arguments of a required call. */
  | { readonly kind: "tool-call"; readonly schema: object }
  /** The same language in both notations. */
  | { readonly kind: "regex"; readonly regex: string; readonly gbnf: string };

export interface ControlledRequest {
  /** Name in tables. */
  readonly name: string;
  /** Task in the user's message. */
  readonly task: string;
  readonly control: Control;
  /** Whether the constraint bounds the length of an answer. */
  readonly length: "bounded" | "unbounded";
}

const shortText = { type: "string", maxLength: 20 };
const integer = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum });
const decimal = (minimum: number, maximum: number) => ({
  type: "number",
  minimum,
  maximum,
  multipleOf: 0.01,
});
const list = (items: object, minItems: number, maxItems: number) => ({
  type: "array",
  items,
  minItems,
  maxItems,
});

/** Builds a schema of an object whose properties are all required and closed to others. */
const object = (properties: Readonly<Record<string, object>>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const flat = object({
  name: shortText,
  city: shortText,
  age: integer(0, 120),
  occupation: shortText,
  member: { type: "boolean" },
  visits: integer(0, 9999),
});

const nested = object({
  customer: object({ name: shortText, level: { enum: ["basic", "plus", "premium"] } }),
  address: object({
    street: shortText,
    number: integer(1, 999),
    place: object({ city: shortText, country: shortText }),
  }),
  payment: object({ method: { enum: ["card", "transfer", "cash"] }, paid: { type: "boolean" } }),
});

const arrayOfObjects = object({
  items: list(
    object({ product: shortText, quantity: integer(1, 99), gift: { type: "boolean" } }),
    3,
    5,
  ),
});

const enumHeavy = object({
  priority: { enum: ["unimportant", "ordinary", "important", "immediately"] },
  department: { enum: ["accounting", "engineering", "purchasing", "human resources"] },
  status: { enum: ["unassigned", "in progress", "waiting for customer", "closed"] },
  channel: { enum: ["telephone", "electronic mail", "web form", "in person"] },
  language: { enum: ["English", "French", "German", "Portuguese", "Spanish"] },
  mood: { enum: ["satisfied", "indifferent", "disappointed", "furious"] },
  escalated: { enum: ["not escalated", "escalated to manager", "escalated to director"] },
});

const longStrings = object({
  title: { type: "string", minLength: 20, maxLength: 60 },
  summary: { type: "string", minLength: 120, maxLength: 240 },
  conclusion: { type: "string", minLength: 60, maxLength: 120 },
});

const numbers = object({
  temperatures: list(decimal(-40, 60), 6, 6),
  counts: list(integer(0, 100_000), 6, 6),
  mean: decimal(-40, 60),
  total: integer(0, 1_000_000),
});

const anyOf = object({
  shapes: list(
    {
      anyOf: [
        object({ kind: { const: "circle" }, radius: integer(1, 500) }),
        object({ kind: { const: "rectangle" }, width: integer(1, 500), height: integer(1, 500) }),
        object({ kind: { const: "label" }, text: shortText }),
      ],
    },
    4,
    6,
  ),
});

const recursive = {
  $ref: "#/$defs/folder",
  $defs: {
    folder: object({
      name: { type: "string", maxLength: 12 },
      size: integer(0, 999),
      parent: { anyOf: [{ $ref: "#/$defs/folder" }, { type: "null" }] },
    }),
  },
};

const booking = object({
  restaurant: shortText,
  guests: integer(1, 12),
  seating: { type: "string", enum: ["window", "terrace", "anywhere"] },
  notes: { type: "string", maxLength: 60 },
});

/** Ten codes such as `AB-1234`, separated by `; `. */
const codes = {
  regex: "[A-Z]{2}-[0-9]{4}(; [A-Z]{2}-[0-9]{4}){9}",
  gbnf: 'root ::= code ("; " code){9}\ncode ::= [A-Z]{2} "-" [0-9]{4}',
};

const bySchema = (name: string, task: string, schema: object): ControlledRequest => ({
  name,
  task,
  control: { kind: "schema", schema },
  length: "bounded",
});

/** Requests in the order of the tables. */
export const controlledRequests: readonly ControlledRequest[] = [
  bySchema("flat object", "Describe a person who is like", flat),
  bySchema("nested object", "Make up an order about", nested),
  bySchema("object array", "List what to buy for", arrayOfObjects),
  bySchema("enums", "Sort this message into its categories:", enumHeavy),
  bySchema("long strings", "Write a short article about", longStrings),
  bySchema("numbers", "Make up measurements of", numbers),
  bySchema("anyOf", "Describe a drawing of", anyOf),
  { ...bySchema("recursive", "Describe the folders of", recursive), length: "unbounded" },
  {
    name: "tool call",
    task: "Book a table for",
    control: { kind: "tool-call", schema: booking },
    length: "bounded",
  },
  {
    name: "regex",
    task: "List ten codes for",
    control: { kind: "regex", ...codes },
    length: "bounded",
  },
];

/** Warm-up request, unlike the others, which is not measured. */
export const warmUpRequest = bySchema(
  "warm-up",
  "Make up a calendar for",
  list(object({ day: integer(1, 31), month: shortText, free: { enum: ["morning", null] } }), 2, 4),
);
