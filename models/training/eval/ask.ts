import { z } from "zod";

import { formatReason } from "../../../src/core/format-reason.js";
import { preview } from "../../../src/validation/preview.js";
import { InputError } from "../../command-line/input-error.js";
import type { Prompt } from "./prompts.js";
import { type CallDemand, requestBody } from "./request.js";
import type { Answer } from "./score.js";

/** A model behind an OpenAI-compatible API. */
export interface Endpoint {
  /** Base URL up to `/v1`, without a trailing slash. */
  readonly baseUrl: string;
  readonly model: string;
  /** Absent: tools are only listed, as some clients do. */
  readonly demand?: CallDemand;
}

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
const modelList = z.object({ data: z.array(z.object({ id: z.string() })) });
const refusal = z.object({ error: z.object({ message: z.string() }) });

/**
 * Queries an OpenAI-compatible server.
 * @throws {InputError} if the server does not respond, the response is not a completion, or it is a
 *   refusal
 */
export async function ask(
  endpoint: Endpoint,
  prompt: Prompt,
  signal: AbortSignal,
): Promise<Answer> {
  const { baseUrl, model, demand } = endpoint;
  const { status, text } = await request(`${baseUrl}/chat/completions`, baseUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(requestBody(prompt, model, demand)),
    signal,
  });
  if (status === 404) throw new InputError(await whyNotFound(endpoint, signal));
  if (status !== 200) {
    const reason = refusal.safeParse(parsed(text)).data?.error.message ?? text;
    throw new InputError(`${baseUrl}: expected status 200, got ${status}: ${preview(reason)}`);
  }
  const [choice] = completion.safeParse(parsed(text)).data?.choices ?? [];
  if (choice === undefined) {
    throw new InputError(`${baseUrl}: expected a chat completion, got ${preview(text)}`);
  }
  return {
    content: choice.message.content ?? "",
    reasoning: choice.message.reasoning_content ?? "",
    calls: (choice.message.tool_calls ?? []).map((call) => call.function),
    finishReason: choice.finish_reason,
  };
}

async function request(
  url: string,
  baseUrl: string,
  options: RequestInit,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await fetch(url, options);
    return { status: response.status, text: await response.text() };
  } catch (error) {
    // fetch itself only reports that it failed.
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const came = formatReason(cause) || String((cause as NodeJS.ErrnoException).code);
    throw new InputError(`--base-url ${baseUrl}: expected a server that answers, got ${came}`);
  }
}

/** Distinguishes a model that the server lacks from an address without such an API. */
async function whyNotFound({ baseUrl, model }: Endpoint, signal: AbortSignal): Promise<string> {
  const { text } = await request(`${baseUrl}/models`, baseUrl, { signal });
  const served = modelList.safeParse(parsed(text)).data?.data.map(({ id }) => id);
  return served === undefined
    ? `--base-url ${baseUrl}: expected an address such as http://127.0.0.1:8080/v1, got status 404`
    : `--model: expected a model that the server has (${served.join(", ")}), got ${preview(model)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
