/** Why a prompt is meant to differ from llama-server's; each has its section in docs/templates.md. */
export type Reason =
  | "continued"
  | "described"
  | "variable"
  | "python"
  | "space"
  | "lost-text"
  | "peer-fails";

interface Rule {
  readonly reason: Reason;
  readonly templates: RegExp;
  readonly conversations: RegExp;
}

const TOOLS_OR_CALLS = /tool|call|arguments/;

const rules: readonly Rule[] = [
  { reason: "continued", templates: /./, conversations: /to continue/ },
  {
    reason: "described",
    templates: /DeepSeek-R1-Distill|DeepSeek-V3\.1|gemma-2-2b|rwkv-world|Phi-3\.5/,
    conversations: TOOLS_OR_CALLS,
  },
  { reason: "variable", templates: /SmolLM3|firefunction/, conversations: TOOLS_OR_CALLS },
  { reason: "python", templates: /gemma-4|MiniCPM5/, conversations: /arguments of every type/ },
  { reason: "space", templates: /StepFun/, conversations: /an empty system message/ },
  { reason: "lost-text", templates: /Devstral/, conversations: /reasoning/ },
  { reason: "peer-fails", templates: /command-r-plus/, conversations: TOOLS_OR_CALLS },
];

/** `undefined`: the prompt is to equal llama-server's. */
export function allowedDifference(template: string, conversation: string): Reason | undefined {
  const rule = rules.find(
    ({ templates, conversations }) => templates.test(template) && conversations.test(conversation),
  );
  return rule?.reason;
}
