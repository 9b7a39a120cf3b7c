import type { CallSyntax, NamedBody, ParametersSyntax } from "./convention.js";

/** Where a section begins and ends. */
export type Section = Pick<CallSyntax, "section" | "holds" | "between">;

export const sectionOf = (
  holds: CallSyntax["holds"],
  open: string,
  close: string,
  between = "\n",
): Section => ({ section: { open, close }, holds, between });

/** Calls whose parameters have a frame each. */
export function parameterCalls(
  section: Section,
  head: NamedBody["head"],
  parts: CallParts,
): CallSyntax {
  const { parameters, close } = parts;
  return {
    place: "anywhere",
    names: "any",
    ...section,
    call: { type: "named", head, arguments: { type: "parameters", ...parameters }, close },
  };
}

/** A call behind its head. */
export interface CallParts {
  readonly parameters: Omit<ParametersSyntax, "type">;
  readonly close: string;
}
