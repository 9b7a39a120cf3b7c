import { z } from "zod";

import type { Prompt } from "./prompts.js";
import { requestBody } from "./request.js";
import type { Answer } from "./score.js";

const completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string(),
        message: z.object({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          tool_calls: z
            .array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) }))
            .nullish(),
        }),
      }),
    )
    .min(1),
});

/**
 * Asks an OpenAI-compatible server.
 * @throws Error with the status and the body when the server refuses.
 */
export async function ask(baseUrl: string, model: string, prompt: Prompt): Promise<Answer> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(requestBody(prompt, model)),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`expected status 200, got ${response.status}: ${body}`);
  const [choice] = completion.parse(JSON.parse(body)).choices;
  return {
    content: choice?.message.content ?? "",
    reasoning: choice?.message.reasoning_content ?? "",
    calls: (choice?.message.tool_calls ?? []).map((call) => call.function),
    finishReason: choice?.finish_reason ?? "",
  };
}
