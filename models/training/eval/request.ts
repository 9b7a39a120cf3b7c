import type { Message } from "../corpus/conversation.js";
import { json } from "../corpus/json.js";
import type { Prompt } from "./prompts.js";

type Wire = Record<string, unknown>;

/** Requirements on calls in addition to the prompt's. */
export interface CallDemand {
  readonly choice: "auto" | "required";
  readonly arguments: "free" | "strict";
}

/** The body of a `/v1/chat/completions` request at temperature 0. */
export function requestBody(prompt: Prompt, model: string, demand?: CallDemand): Wire {
  const messages: Wire[] =
    prompt.system === undefined ? [] : [{ role: "system", content: prompt.system }];
  let calls = 0;
  let answered = 0;
  for (const message of prompt.messages) {
    if (message.role === "tool") {
      messages.push({ role: "tool", tool_call_id: `call_${answered}`, content: message.content });
      answered += 1;
    } else {
      messages.push(plainMessage(message, () => `call_${calls++}`));
    }
  }
  return {
    model,
    messages,
    temperature: 0,
    max_tokens: 256,
    ...(prompt.tools.length === 0
      ? {}
      : { tools: prompt.tools.map((tool) => toolOnWire(tool, demand)) }),
    ...(demand === undefined ? {} : { tool_choice: demand.choice }),
    ...(prompt.thinking ? { chat_template_kwargs: { enable_thinking: true } } : {}),
  };
}

function plainMessage(message: Message, nextId: () => string): Wire {
  if (message.role !== "assistant" || message.calls === undefined) {
    return { role: message.role, content: message.content };
  }
  return {
    role: "assistant",
    content: message.content === "" ? null : message.content,
    tool_calls: message.calls.map((call) => ({
      id: nextId(),
      type: "function",
      function: { name: call.name, arguments: json({ ...call.arguments }) },
    })),
  };
}

function toolOnWire(tool: Prompt["tools"][number], demand?: CallDemand): Wire {
  return {
    type: "function",
    function: {
      name: tool.name,
      description: tool.description,
      parameters: parametersSchema(tool),
      ...(demand?.arguments === "strict" ? { strict: true } : {}),
    },
  };
}

/** The JSON schema of a tool's arguments. */
export function parametersSchema({ parameters }: Prompt["tools"][number]) {
  const properties = Object.fromEntries(
    Object.entries(parameters).map(([key, type]) => [key, { type }]),
  );
  return { type: "object", properties, required: Object.keys(properties) };
}
