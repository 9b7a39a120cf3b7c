import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type OpenAI from "openai";

type Message = OpenAI.ChatCompletionMessageParam;

/** A server of the Model Context Protocol as an agent has it at hand. */
export interface McpTools {
  /** Tools in OpenAI's format. */
  readonly tools: readonly OpenAI.ChatCompletionFunctionTool[];
  /** Carries out a call that a model made. */
  carryOut(call: OpenAI.ChatCompletionMessageFunctionToolCall): Promise<Message>;
  close(): Promise<void>;
}

/** Connects to a server in this process, and lists its tools. */
export async function connectMcpTools(server: McpServer): Promise<McpTools> {
  const [clientEnd, serverEnd] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "agent", version: "1.0.0" });
  await server.connect(serverEnd);
  await client.connect(clientEnd);
  const { tools } = await client.listTools();
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: {
        name,
        ...(description !== undefined && { description }),
        parameters: inputSchema,
      },
    })),
    async carryOut({ id, function: called }) {
      const result = await client.callTool({
        name: called.name,
        arguments: JSON.parse(called.arguments),
      });
      const { content } = CallToolResultSchema.parse(result);
      const texts = content.flatMap((part) => (part.type === "text" ? part.text : []));
      return { role: "tool", tool_call_id: id, content: texts.join("\n") };
    },
    close: () => client.close(),
  };
}

/** Requests of one conversation. */
const MAX_TURNS = 8;

/** Answers a question, carrying out calls until the model makes no more of them. */
export async function runMcpAgent(
  openai: OpenAI,
  mcp: McpTools,
  question: string,
): Promise<Message[]> {
  const messages: Message[] = [{ role: "user", content: question }];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const { choices } = await openai.chat.completions.create({
      model: "scripted",
      messages,
      tools: [...mcp.tools],
      temperature: 0,
    });
    const message = choices[0]?.message;
    if (message === undefined) throw new Error("no choice");
    messages.push(message);
    const calls = message.tool_calls ?? [];
    if (calls.length === 0) return messages;
    for (const call of calls) {
      if (call.type === "function") messages.push(await mcp.carryOut(call));
    }
  }
  throw new Error(`no answer after ${MAX_TURNS} turns`);
}
