import { type CallSyntax, type Convention, type HeadPart, NAME } from "./convention.js";
import { envelope, listBetween } from "./json-calls.js";

const SHORT_ID = { part: "id", style: "nine-characters" } as const;

const framed = (head: readonly HeadPart[]): CallSyntax => ({
  place: "anywhere",
  names: "any",
  section: { open: "", close: "" },
  holds: "all-calls",
  between: "",
  call: { type: "named", head, arguments: { type: "json" }, close: "" },
});

const LIST = listBetween(
  "[TOOL_CALLS][",
  "]",
  envelope("name", "arguments", { behind: [', "id": "', SHORT_ID, '"}'] }),
);
const WITH_ARGS = framed(["[TOOL_CALLS]", NAME, "[ARGS]"]);
const WITH_CALL_ID = framed(["[TOOL_CALLS]", NAME, "[CALL_ID]", SHORT_ID, "[ARGS]"]);

const COMMON = { reasoning: "think-brackets", ids: "nine-characters" } as const;

/** Mistral 7B v0.3 to Nemo and Small 3: a JSON list. Its ids come last, too late for a stream. */
export const MISTRAL_LIST: Convention = { ...COMMON, calls: [LIST, WITH_ARGS] };

/** Devstral, Magistral, Ministral 3. */
export const MISTRAL_ARGS: Convention = { ...COMMON, calls: [WITH_ARGS, WITH_CALL_ID, LIST] };

/** Mistral Small 3.2. */
export const MISTRAL_CALL_ID: Convention = { ...COMMON, calls: [WITH_CALL_ID, WITH_ARGS, LIST] };
