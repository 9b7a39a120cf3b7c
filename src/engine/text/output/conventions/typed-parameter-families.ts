import { type Convention, INDEX, KEY, NAME } from "./convention.js";
import { parameterCalls, sectionOf } from "./parameter-calls.js";

const COMMON = { reasoning: "think", ids: "call" } as const;

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
          behind: "\n",
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
          behind: "",
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
