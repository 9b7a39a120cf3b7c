import {
  type CallSyntax,
  type Convention,
  INDEX,
  KEY,
  NAME,
  type NamedBody,
  type ParametersSyntax,
} from "./convention.js";

/** Beginning and end of a section. */
export type Section = Pick<CallSyntax, "section" | "sectionContent" | "callSeparator">;

const sectionOf = (
  sectionContent: CallSyntax["sectionContent"],
  open: string,
  close: string,
  between = "\n",
): Section => ({ section: { open, close }, sectionContent, callSeparator: between });

/** Builds a syntax of calls with a frame for each parameter. */
function parameterCalls(section: Section, head: NamedBody["head"], parts: CallParts): CallSyntax {
  const { parameters, close } = parts;
  return {
    place: "anywhere",
    names: "any",
    ...section,
    call: { type: "named", head, arguments: { type: "parameters", ...parameters }, close },
  };
}

/** The part of a call after its head. */
interface CallParts {
  readonly parameters: Omit<ParametersSyntax, "type">;
  readonly close: string;
}

const COMMON = { reasoning: "think", ids: "call" } as const;

const functionTag = (padding: ParametersSyntax["padding"]) =>
  [
    ["<function=", NAME, ">\n"],
    {
      parameters: {
        open: ["<parameter=", KEY, ">"],
        close: "</parameter>",
        padding,
        after: "\n",
      },
      close: "</function>",
    },
  ] as const;

/** Qwen3-Coder and Qwen 3.5; Nemotron 3 Nano, Step 3.5. */
export const QWEN3_CODER: Convention = {
  ...COMMON,
  calls: [
    parameterCalls(sectionOf("one-call", "<tool_call>\n", "\n</tool_call>"), ...functionTag("\n")),
  ],
  instructions: [["<tool_call>", "<function=", "<parameter="]],
};

/** ByteDance Seed-OSS. */
export const SEED: Convention = {
  reasoning: "seed-think",
  ids: "call",
  calls: [
    parameterCalls(
      sectionOf("one-call", "<seed:tool_call>\n", "\n</seed:tool_call>"),
      ...functionTag(""),
    ),
  ],
  instructions: [["<seed:tool_call>"]],
};

const keyAndValue = (suffix: string): CallParts["parameters"] => ({
  open: [`<arg_key${suffix}>`, KEY, `</arg_key${suffix}>\n<arg_value${suffix}>`],
  close: `</arg_value${suffix}>`,
  padding: "",
  after: "\n",
});

/** Zhipu GLM 4.5 to 4.7; Ling 3, Laguna, Spark 2.5. */
export const GLM: Convention = {
  ...COMMON,
  calls: [
    parameterCalls(sectionOf("one-call", "<tool_call>", "</tool_call>"), [NAME, "\n"], {
      parameters: keyAndValue(""),
      close: "",
    }),
  ],
  instructions: [["<tool_call>", "<arg_key>", "<arg_value>"]],
};

/** Tencent Hunyuan 3. */
export const HUNYUAN: Convention = {
  reasoning: "hunyuan-think",
  ids: "call",
  calls: [
    parameterCalls(
      sectionOf("all-calls", "<tool_calls:opensource>\n", "\n</tool_calls:opensource>"),
      ["<tool_call:opensource>", NAME, "<tool_sep:opensource>\n"],
      { parameters: keyAndValue(":opensource"), close: "</tool_call:opensource>" },
    ),
  ],
};

/** MiniMax M2. */
export const MINIMAX_M2: Convention = {
  ...COMMON,
  calls: [
    parameterCalls(
      sectionOf("all-calls", "<minimax:tool_call>\n", "\n</minimax:tool_call>"),
      ['<invoke name="', NAME, '">\n'],
      {
        parameters: {
          open: ['<parameter name="', KEY, '">'],
          close: "</parameter>",
          padding: "",
          after: "\n",
        },
        close: "</invoke>",
      },
    ),
  ],
  instructions: [["<minimax:tool_call>"]],
};

/** The prefix that distinguishes MiniMax M3's tags from tags in text. */
const M3_MARK = "]<]minimax[>[";

/** MiniMax M3: values are written in tags, too. */
export const MINIMAX_M3: Convention = {
  reasoning: "minimax-think",
  ids: "call",
  calls: [
    {
      place: "anywhere",
      names: "any",
      ...sectionOf("all-calls", `${M3_MARK}<tool_call>\n`, `\n${M3_MARK}</tool_call>`),
      call: {
        type: "named",
        head: [`${M3_MARK}<invoke name="`, NAME, '">'],
        arguments: { type: "elements", mark: M3_MARK },
        close: `${M3_MARK}</invoke>`,
      },
    },
  ],
};

/** Muse Glimmer: an answer is a series of messages, and each names its recipient. */
export const MUSE_GLIMMER: Convention = {
  reasoning: "self-message",
  ids: "call",
  calls: [
    parameterCalls(
      sectionOf("all-calls", "", "", "<|eom|><|start|>assistant"),
      [" to=", NAME, '<|message|><atem:function_calls>\n<atem:invoke name="', NAME, '">\n'],
      {
        parameters: {
          open: ['<atem:parameter name="', KEY, '">'],
          close: "</atem:parameter>",
          padding: "",
          after: "\n",
        },
        close: "</atem:invoke>\n</atem:function_calls>",
      },
    ),
  ],
  contentMarks: ["<|start|>assistant", " to=user<|message|>", "<|message|>", "<|eom|>", "<|eot|>"],
};

/** OpenBMB MiniCPM5. */
export const MINICPM5: Convention = {
  ...COMMON,
  calls: [
    parameterCalls(sectionOf("all-calls", "", "", "\n"), ['<function name="', NAME, '">'], {
      parameters: {
        open: ['<param name="', KEY, '">'],
        close: "</param>",
        padding: "",
        after: "",
        quote: { open: "<![CDATA[", close: "]]>" },
      },
      close: "</function>",
    }),
  ],
  instructions: [['<function name="', '<param name="']],
};

const dsml = (section: string): Convention => ({
  ...COMMON,
  calls: [
    parameterCalls(
      sectionOf("all-calls", `<｜DSML｜${section}>\n`, `\n</｜DSML｜${section}>`),
      ['<｜DSML｜invoke name="', NAME, '">\n'],
      {
        parameters: {
          open: [
            '<｜DSML｜parameter name="',
            KEY,
            '" string="',
            { part: "kind", string: "true", json: ["false"] },
            '">',
          ],
          close: "</｜DSML｜parameter>",
          padding: "",
          after: "\n",
        },
        close: "</｜DSML｜invoke>",
      },
    ),
  ],
  callsEndReasoning: true,
});

/** DeepSeek V3.2. */
export const DEEPSEEK_V3_2: Convention = dsml("function_calls");

/** DeepSeek V4. */
export const DEEPSEEK_V4: Convention = dsml("tool_calls");

/** Moonshot Kimi K3. */
export const KIMI_K3: Convention = {
  reasoning: "think-section",
  ids: "call",
  calls: [
    parameterCalls(
      sectionOf("all-calls", "<|open|>tools<|sep|>", "<|close|>tools<|sep|>", ""),
      ['<|open|>call tool="', NAME, '" index="', INDEX, '"<|sep|>'],
      {
        parameters: {
          open: [
            '<|open|>argument key="',
            KEY,
            '" type="',
            {
              part: "kind",
              string: "string",
              json: ["number", "boolean", "null", "object", "array"],
            },
            '"<|sep|>',
          ],
          close: "<|close|>argument<|sep|>",
          padding: "",
          after: "",
        },
        close: "<|close|>call<|sep|>",
      },
    ),
  ],
  contentMarks: [
    "<|open|>response<|sep|>",
    "<|close|>response<|sep|>",
    "<|close|>message<|sep|>",
    "<|end_of_msg|>",
  ],
};
