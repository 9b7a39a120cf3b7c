import {
  type CallBody,
  type CallSyntax,
  type Convention,
  type HeadPart,
  NAME,
} from "./convention.js";

const COMMON = { reasoning: "think", ids: "call" } as const;

/** Builds a syntax of calls with JSON arguments in a frame. */
function framed(
  head: readonly HeadPart[],
  close: string,
  { open, close: sectionClose, between }: { open: string; close: string; between: string },
): CallSyntax {
  const call: CallBody = { type: "named", head, arguments: { type: "json" }, close };
  const section = { open, close: sectionClose };
  return {
    place: "anywhere",
    names: "any",
    section,
    sectionContent: "all-calls",
    callSeparator: between,
    call,
  };
}

const DEEPSEEK_SECTION = {
  open: "<｜tool▁calls▁begin｜>",
  close: "<｜tool▁calls▁end｜>",
};

/** DeepSeek V3 and R1, and models distilled from R1. */
export const DEEPSEEK_V3: Convention = {
  ...COMMON,
  calls: [
    framed(
      ["<｜tool▁call▁begin｜>function<｜tool▁sep｜>", NAME, "\n```json\n"],
      "\n```<｜tool▁call▁end｜>",
      { ...DEEPSEEK_SECTION, between: "\n" },
    ),
  ],
  callsEndReasoning: true,
};

/** DeepSeek V3.1. */
export const DEEPSEEK_V3_1: Convention = {
  ...COMMON,
  calls: [
    framed(["<｜tool▁call▁begin｜>", NAME, "<｜tool▁sep｜>"], "<｜tool▁call▁end｜>", {
      ...DEEPSEEK_SECTION,
      between: "",
    }),
  ],
  callsEndReasoning: true,
};

/** Moonshot Kimi K2. The models are known to make calls in the middle of their reasoning. */
export const KIMI_K2: Convention = {
  reasoning: "think",
  ids: "qualified",
  calls: [
    framed(
      ["<|tool_call_begin|>", { part: "qualified-name" }, "<|tool_call_argument_begin|>"],
      "<|tool_call_end|>",
      { open: "<|tool_calls_section_begin|>", close: "<|tool_calls_section_end|>", between: "" },
    ),
  ],
  callsEndReasoning: true,
};

const NO_SECTION = { open: "", close: "", between: "" };

/** MeetKai Functionary 3.1. */
export const FUNCTIONARY_V3_1: Convention = {
  ...COMMON,
  calls: [framed(["<function=", NAME, ">"], "</function>", NO_SECTION)],
};

/** MeetKai Functionary 3.2: every message names its recipient, and `all` is the user. */
export const FUNCTIONARY_V3_2: Convention = {
  ...COMMON,
  calls: [framed([">>>", NAME, "\n"], "", NO_SECTION)],
  contentMarks: [">>>all\n"],
  promptOpening: ">>>",
};

/** Upstage Solar Open. */
export const SOLAR: Convention = {
  reasoning: "think-message",
  ids: "call",
  calls: [
    framed(
      [
        "<|tool_call:begin|>",
        { part: "id", style: "call" },
        "<|tool_call:name|>",
        NAME,
        "<|tool_call:args|>",
      ],
      "<|tool_call:end|>",
      { open: "<|tool_calls|>", close: "<|calls|>", between: "" },
    ),
  ],
  contentMarks: ["<|begin|>assistant", "<|content|>"],
};

/** Liquid LFM2: a list of calls in Python's syntax. */
export const LFM2: Convention = {
  calls: [
    {
      place: "anywhere",
      names: "any",
      section: { open: "<|tool_call_start|>[", close: "]<|tool_call_end|>" },
      sectionContent: "all-calls",
      callSeparator: ", ",
      call: { type: "named", head: [NAME, "("], arguments: { type: "keywords" }, close: ")" },
    },
  ],
  reasoning: "think",
  ids: "call",
  instructions: [["List of tools: <|tool_list_start|>"], ["List of tools: ["]],
};

/** Google Gemma 4: objects with bare keys and their own string delimiters. */
export const GEMMA4: Convention = {
  calls: [
    {
      place: "anywhere",
      names: "any",
      section: { open: "", close: "" },
      sectionContent: "all-calls",
      callSeparator: "",
      call: {
        type: "named",
        head: ["<|tool_call>call:", NAME],
        arguments: { type: "marked-object", quote: '<|"|>' },
        close: "<tool_call|>",
      },
    },
  ],
  reasoning: "thought-channel",
  ids: "call",
};

/** OpenAI gpt-oss: the harmony format. */
export const GPT_OSS: Convention = {
  calls: "harmony",
  reasoning: "analysis-channel",
  ids: "call",
};
