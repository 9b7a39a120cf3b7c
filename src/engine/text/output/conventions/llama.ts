import { type CallSyntax, type Convention, NAME } from "./convention.js";
import { envelope } from "./json-calls.js";

const JSON_WITH_PARAMETERS = envelope("name", "parameters");

const IN_PYTHON_TAG: Pick<CallSyntax, "place" | "names" | "section" | "holds" | "between"> = {
  place: "anywhere",
  names: "any",
  section: { open: "<|python_tag|>", close: "" },
  holds: "all-calls",
  between: "; ",
};

const keywordCall = (open: string) =>
  ({ type: "named", head: [NAME, open], arguments: { type: "keywords" }, close: ")" }) as const;

/**
 * Meta Llama 3.1 to 3.3: an answer that is JSON with a function's name is a call. Llama 3.1 also
 * writes `<|python_tag|>name.call(key=value)`, Llama 3.2 and 4 also a Python list of calls.
 */
export const LLAMA3: Convention = {
  calls: [
    {
      place: "beginning",
      names: "known",
      section: { open: "", close: "" },
      holds: "all-calls",
      between: "; ",
      call: JSON_WITH_PARAMETERS,
    },
    { ...IN_PYTHON_TAG, call: JSON_WITH_PARAMETERS },
    { ...IN_PYTHON_TAG, call: keywordCall(".call(") },
    {
      place: "beginning",
      names: "known",
      section: { open: "[", close: "]" },
      holds: "all-calls",
      between: ", ",
      call: keywordCall("("),
    },
  ],
  reasoning: "think",
  ids: "call",
  instructions: [
    ['{"name": function name, "parameters": dictionary of argument name and its value}'],
  ],
};
