import type { ChatMessage } from "../../../../core/generation-request.js";
import {
  REASONING_FORMATS,
  type ReasoningFormat,
  type ToolConvention,
} from "../../../../core/output-format.js";
import type { RenderProbe } from "./choose-convention.js";
import { CONVENTIONS } from "./conventions.js";
import { REASONING_MARKS } from "./reasoning.js";

const QUESTION = "How deep is the probe?";
const THOUGHT = "I have to think about the probe.";
const USER: ChatMessage = { role: "user", content: QUESTION };

/**
 * The format of a model's reasoning: the marks between which its template renders reasoning; where it
 * renders none, the ones that it begins an answer with; else what is usual with the convention.
 */
export function chooseReasoning(render: RenderProbe, convention: ToolConvention): ReasoningFormat {
  return renderedReasoning(render) ?? CONVENTIONS[convention].reasoning;
}

/** The format of the reasoning that a template renders; `undefined`: it renders none. */
export function renderedReasoning(render: RenderProbe): ReasoningFormat | undefined {
  return formatOfThought(render) ?? formatOfBeginning(render);
}

/** Templates drop the reasoning of earlier turns: it is kept before a call. */
const CONVERSATIONS: readonly (readonly ChatMessage[])[] = [
  [
    USER,
    {
      role: "assistant",
      content: "",
      reasoning: THOUGHT,
      toolCalls: [{ id: "probe0001", name: "read_probe", arguments: "{}" }],
    },
  ],
  [USER, { role: "assistant", content: "Deep.", reasoning: THOUGHT }, USER],
];

function formatOfThought(render: RenderProbe): ReasoningFormat | undefined {
  for (const messages of CONVERSATIONS) {
    const [before = "", after] =
      render({ type: "chat", messages, tools: [], templateVariables: {} })?.split(THOUGHT) ?? [];
    const format = REASONING_FORMATS.find((name) => {
      const { open, close } = REASONING_MARKS[name];
      return before.trimEnd().endsWith(open) && after?.trimStart().startsWith(close);
    });
    if (format !== undefined) return format;
  }
  return undefined;
}

/** Some templates close reasoning where there is to be little of it. */
const SWITCHES = [
  { enable_thinking: true },
  { enable_thinking: false },
  { reasoning_effort: "minimal" },
] as const;

function formatOfBeginning(render: RenderProbe): ReasoningFormat | undefined {
  for (const templateVariables of SWITCHES) {
    const prompt = render({ type: "chat", messages: [USER], tools: [], templateVariables });
    const beginning = prompt?.split(QUESTION).at(-1) ?? "";
    const format = REASONING_FORMATS.find((name) => beginning.includes(REASONING_MARKS[name].open));
    if (format !== undefined) return format;
  }
  return undefined;
}
