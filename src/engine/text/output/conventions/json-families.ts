import { ARGUMENTS, type Convention, INDEX, NAME } from "./convention.js";
import { eachBetween, envelope, JSON_CALL, listBetween } from "./json-calls.js";

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
  calls: [{ ...listBetween("<tool_calls>\n", "\n</tool_calls>", JSON_CALL), between: "\n" }],
};

/** Swiss AI's Apertus: the function's name is the key of its arguments. */
export const APERTUS: Convention = {
  ...COMMON,
  calls: [
    listBetween("<|tools_prefix|>[", "]<|tools_suffix|>", {
      type: "envelope",
      members: "name-as-key",
      written: ['{"', NAME, '": ', ARGUMENTS, "}"],
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
 * Cohere Command-R and R+. Names are checked: the models are told to call a tool `directly-answer`
 * when they need none.
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

/** What this server asks models for whose template knows no tools. */
export const GENERIC: Convention = {
  ...COMMON,
  calls: [eachBetween('{"tool_call": ', "}", JSON_CALL)],
};
