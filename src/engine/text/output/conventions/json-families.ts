import {
  ARGUMENTS,
  type CallSyntax,
  type Convention,
  type EnvelopeBody,
  type EnvelopePart,
  type HeadPart,
  INDEX,
  NAME,
} from "./convention.js";

/** `{"name": …, "arguments": {…}}`. Several families write the arguments as `parameters`. */
const JSON_CALL: EnvelopeBody = envelope("name", "arguments");

/**
 * Builds a JSON object with the two members, in this order. Either of the usual names is accepted.
 */
function envelope(
  name: string,
  args: "arguments" | "parameters",
  around: {
    readonly before?: readonly EnvelopePart[];
    readonly after?: readonly EnvelopePart[];
  } = {},
): EnvelopeBody {
  const { before = ["{"], after = ["}"] } = around;
  return {
    type: "envelope",
    members: { name, arguments: ["arguments", "parameters"] },
    layout: [...before, `"${name}": "`, NAME, `", "${args}": `, ARGUMENTS, ...after],
  };
}

/** Builds a syntax in which each JSON call is between two marks. */
function eachBetween(open: string, close: string, call: EnvelopeBody): CallSyntax {
  return {
    place: "anywhere",
    names: "any",
    section: { open, close },
    sectionContent: "one-call",
    callSeparator: "\n",
    call,
  };
}

/** Builds a syntax with a JSON list of calls, between marks that include the list's brackets. */
function listBetween(open: string, close: string, call: EnvelopeBody): CallSyntax {
  return {
    place: "anywhere",
    names: "any",
    section: { open, close },
    sectionContent: "all-calls",
    callSeparator: ", ",
    call,
  };
}

const COMMON = { reasoning: "think", ids: "call" } as const;

/** Nous Hermes; Qwen 2.5 and 3, Granite 4, SmolLM3 and many others. */
export const HERMES: Convention = {
  ...COMMON,
  calls: [eachBetween("<tool_call>\n", "\n</tool_call>", JSON_CALL)],
  instructions: [["<tool_call>", '"name"', '"arguments"']],
};

/** IBM Granite 3. */
export const GRANITE: Convention = {
  ...COMMON,
  calls: [
    listBetween("<|tool_call|>[", "]", JSON_CALL),
    listBetween("<tool_call>[", "]", JSON_CALL),
    eachBetween("<tool_call>", "</tool_call>", JSON_CALL),
  ],
  contentMarks: ["<response>", "</response>"],
  instructions: [["<|tool_call|>", "JSON list"]],
};

/** Microsoft Phi-4-mini. */
export const PHI4: Convention = {
  ...COMMON,
  calls: [
    listBetween("<|tool_call|>[", "]<|/tool_call|>", JSON_CALL),
    eachBetween("<|tool_call|>", "<|/tool_call|>", JSON_CALL),
    listBetween("functools[", "]", JSON_CALL),
  ],
  instructions: [["<|tool|>", "<|/tool|>"]],
};

/** Fireworks' Firefunction. */
export const FIREFUNCTION: Convention = {
  ...COMMON,
  calls: [listBetween("functools[", "]", JSON_CALL)],
  instructions: [["functools["]],
};

/** NVIDIA Nemotron Nano 2. */
export const NEMOTRON: Convention = {
  ...COMMON,
  calls: [listBetween("<TOOLCALL>[", "]</TOOLCALL>", JSON_CALL)],
  instructions: [["<TOOLCALL>"]],
};

/** ServiceNow Apriel. */
export const APRIEL: Convention = {
  calls: [listBetween("<tool_calls>[", "]</tool_calls>", JSON_CALL)],
  reasoning: "reasoning-steps",
  ids: "call",
  instructions: [["<tool_calls>["]],
};

/** MiniMax M1: a line for each call. */
export const MINIMAX_M1: Convention = {
  ...COMMON,
  calls: [{ ...listBetween("<tool_calls>\n", "\n</tool_calls>", JSON_CALL), callSeparator: "\n" }],
};

/** Swiss AI's Apertus: the function's name is the key of its arguments. */
export const APERTUS: Convention = {
  ...COMMON,
  calls: [
    listBetween("<|tools_prefix|>[", "]<|tools_suffix|>", {
      type: "envelope",
      members: "name-as-key",
      layout: ['{"', NAME, '": ', ARGUMENTS, "}"],
    }),
  ],
};

/** GigaChat 3: a call is a message of another role. */
export const GIGACHAT: Convention = {
  ...COMMON,
  calls: [eachBetween("<|message_sep|>\n\nfunction call<|role_sep|>\n", "", JSON_CALL)],
};

/** GigaChat 3.1. */
export const GIGACHAT_3_1: Convention = {
  ...COMMON,
  calls: [eachBetween("<|function_call|>", "", JSON_CALL)],
};

/**
 * Cohere Command-R and R+. Names are checked, because the models are instructed to call a tool
 * `directly-answer` if they need none.
 */
export const COMMAND_R: Convention = {
  ...COMMON,
  calls: [
    {
      ...listBetween("Action:\n```json\n[", "]\n```", envelope("tool_name", "parameters")),
      names: "known",
    },
  ],
};

/** Cohere Command-R7B and its successors. */
export const COMMAND_R7B: Convention = {
  calls: [
    listBetween(
      "<|START_ACTION|>[\n    ",
      "\n]<|END_ACTION|>",
      envelope("tool_name", "parameters", { before: ['{"tool_call_id": "', INDEX, '", '] }),
    ),
  ],
  reasoning: "start-thinking",
  contentMarks: ["<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>"],
  callsEndReasoning: true,
  ids: "call",
};

/** The syntax that ggufd requests from models whose template does not support tools. */
export const GENERIC: Convention = {
  ...COMMON,
  calls: [eachBetween('{"tool_call": ', "}", JSON_CALL)],
};

const JSON_WITH_PARAMETERS = envelope("name", "parameters");

const IN_PYTHON_TAG: Pick<
  CallSyntax,
  "place" | "names" | "section" | "sectionContent" | "callSeparator"
> = {
  place: "anywhere",
  names: "any",
  section: { open: "<|python_tag|>", close: "" },
  sectionContent: "all-calls",
  callSeparator: "; ",
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
      sectionContent: "all-calls",
      callSeparator: "; ",
      call: JSON_WITH_PARAMETERS,
    },
    { ...IN_PYTHON_TAG, call: JSON_WITH_PARAMETERS },
    { ...IN_PYTHON_TAG, call: keywordCall(".call(") },
    {
      place: "beginning",
      names: "known",
      section: { open: "[", close: "]" },
      sectionContent: "all-calls",
      callSeparator: ", ",
      call: keywordCall("("),
    },
  ],
  reasoning: "think",
  ids: "call",
  instructions: [
    ['{"name": function name, "parameters": dictionary of argument name and its value}'],
  ],
};

const SHORT_ID = { part: "id", style: "nine-characters" } as const;

const framed = (head: readonly HeadPart[]): CallSyntax => ({
  place: "anywhere",
  names: "any",
  section: { open: "", close: "" },
  sectionContent: "all-calls",
  callSeparator: "",
  call: { type: "named", head, arguments: { type: "json" }, close: "" },
});

const LIST = listBetween(
  "[TOOL_CALLS][",
  "]",
  envelope("name", "arguments", { after: [', "id": "', SHORT_ID, '"}'] }),
);
const WITH_ARGS = framed(["[TOOL_CALLS]", NAME, "[ARGS]"]);
const WITH_CALL_ID = framed(["[TOOL_CALLS]", NAME, "[CALL_ID]", SHORT_ID, "[ARGS]"]);

const MISTRAL = { reasoning: "think-brackets", ids: "nine-characters" } as const;

/** Mistral 7B v0.3 to Nemo and Small 3: a JSON list. Its ids come last, too late for streaming. */
export const MISTRAL_LIST: Convention = { ...MISTRAL, calls: [LIST, WITH_ARGS] };

/** Devstral, Magistral, Ministral 3. */
export const MISTRAL_ARGS: Convention = { ...MISTRAL, calls: [WITH_ARGS, WITH_CALL_ID, LIST] };

/** Mistral Small 3.2. */
export const MISTRAL_CALL_ID: Convention = { ...MISTRAL, calls: [WITH_CALL_ID, WITH_ARGS, LIST] };
