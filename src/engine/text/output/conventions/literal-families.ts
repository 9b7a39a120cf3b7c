import { type Convention, NAME } from "./convention.js";

/** Liquid LFM2: a list of calls in Python's syntax. */
export const LFM2: Convention = {
  calls: [
    {
      place: "anywhere",
      names: "any",
      section: { open: "<|tool_call_start|>[", close: "]<|tool_call_end|>" },
      holds: "all-calls",
      between: ", ",
      call: { type: "named", head: [NAME, "("], arguments: { type: "keywords" }, close: ")" },
    },
  ],
  reasoning: "think",
  ids: "call",
  instructions: [["List of tools: <|tool_list_start|>"], ["List of tools: ["]],
};

/** Google Gemma 4: objects with bare keys, and strings between marks of their own. */
export const GEMMA4: Convention = {
  calls: [
    {
      place: "anywhere",
      names: "any",
      section: { open: "", close: "" },
      holds: "all-calls",
      between: "",
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
