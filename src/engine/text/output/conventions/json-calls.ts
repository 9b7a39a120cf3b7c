import {
  ARGUMENTS,
  type CallSyntax,
  type EnvelopeBody,
  type EnvelopePart,
  NAME,
} from "./convention.js";

/** `{"name": …, "arguments": {…}}`. Several families write the arguments as `parameters`. */
export const JSON_CALL: EnvelopeBody = envelope("name", "arguments");

/** A JSON object with these two members, in this order. Either of the usual names is read. */
export function envelope(
  name: string,
  args: "arguments" | "parameters",
  around: {
    readonly before?: readonly EnvelopePart[];
    readonly behind?: readonly EnvelopePart[];
  } = {},
): EnvelopeBody {
  const { before = ["{"], behind = ["}"] } = around;
  return {
    type: "envelope",
    members: { name, arguments: ["arguments", "parameters"] },
    written: [...before, `"${name}": "`, NAME, `", "${args}": `, ARGUMENTS, ...behind],
  };
}

/** JSON calls, each between two marks. */
export function eachBetween(open: string, close: string, call: EnvelopeBody): CallSyntax {
  return {
    place: "anywhere",
    names: "any",
    section: { open, close },
    holds: "one-call",
    between: "\n",
    call,
  };
}

/** A JSON list of calls between two marks that include the list's brackets. */
export function listBetween(open: string, close: string, call: EnvelopeBody): CallSyntax {
  return {
    place: "anywhere",
    names: "any",
    section: { open, close },
    holds: "all-calls",
    between: ", ",
    call,
  };
}
