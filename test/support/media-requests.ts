import { expect } from "vitest";

/** The parts of OpenAI's messages. */
export const textPart = (text: string) => ({ type: "text" as const, text });

export const imagePart = (file: Buffer) => ({
  type: "image_url" as const,
  image_url: { url: `data:image/png;base64,${file.toString("base64")}` },
});

export const audioPart = (file: Buffer, format: "wav" | "mp3" = "wav") => ({
  type: "input_audio" as const,
  input_audio: { data: file.toString("base64"), format },
});

export const userSays = (...content: readonly object[]) => ({ role: "user", content });

/** Greedy, with the alternative tokens. */
const scored = {
  temperature: 0,
  max_tokens: 12,
  ignore_eos: true,
  logprobs: true,
  top_logprobs: 20,
} as const;

interface Scored {
  readonly bytes: readonly number[];
  readonly logprob: number;
}

interface ScoredToken extends Scored {
  readonly top_logprobs: readonly Scored[];
}

interface Choice {
  readonly logprobs: { readonly content: readonly ScoredToken[] } | null;
}

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
}

/** The tokens of an answer, with their log-probabilities. */
export interface ScoredAnswer {
  readonly tokens: readonly ScoredToken[];
  readonly usage: Usage;
}

export async function post(
  url: string,
  path: string,
  body: object,
  signal: AbortSignal | null = null,
): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** The parsed answer to a request that is expected to succeed. */
export async function answerOf<Answer>(url: string, path: string, body: object): Promise<Answer> {
  const response = await post(url, path, body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text) as Answer;
}

/** The greedy answer to a chat. */
export async function chatAnswer(url: string, body: object): Promise<ScoredAnswer> {
  const { choices, usage } = await answerOf<{
    readonly choices: readonly Choice[];
    readonly usage: Usage;
  }>(url, "/v1/chat/completions", { ...scored, ...body });
  return { tokens: choices[0]?.logprobs?.content ?? [], usage };
}

/** The same, streamed. */
export async function streamedAnswer(url: string, body: object): Promise<ScoredAnswer> {
  const response = await post(url, "/v1/chat/completions", {
    ...{ ...scored, ...body },
    ...{ stream: true, stream_options: { include_usage: true } },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  const chunks = lines.map(
    (line): { readonly choices: readonly Choice[]; readonly usage?: Usage } =>
      JSON.parse(line.slice("data: ".length)),
  );
  const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
  return {
    tokens: chunks.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? []),
    usage: usage ?? expect.fail(text),
  };
}

/** Effect of the division of a prompt on log-probabilities: closer values count as a tie. */
const TIE = 0.02;

/**
 * Expects the same tokens with the same log-probabilities, up to a tie. llama-server reports tokens
 * that end within a character together with the one that completes it.
 * @returns whether all of them are the same
 */
export function expectAlike(actual: ScoredAnswer, expected: ScoredAnswer, of = ""): boolean {
  const { prompt_tokens, completion_tokens } = expected.usage;
  expect(actual.usage, of).toMatchObject({ prompt_tokens, completion_tokens });
  const text = textOf(expected.tokens);
  const scores = scoresByEnd(expected.tokens);
  let at = 0;
  for (const { bytes, logprob, top_logprobs: others } of actual.tokens) {
    // At the end there may be a partial character that it does not report.
    if (at === text.length) return true;
    const told = `${of}, behind ${at} of ${text.length} bytes`;
    if (!continues(text, at, bytes)) {
      const theirs = others.find((other) => continues(text, at, other.bytes));
      expect(logprob - (theirs?.logprob ?? Number.NaN), told).toBeLessThan(TIE);
      return false;
    }
    at += bytes.length;
    expect(Math.abs(logprob - (scores.get(at) ?? logprob)), told).toBeLessThan(TIE);
  }
  expect(at, of).toBe(text.length);
  return true;
}

/** Whether two answers have the same text. */
export function areAlike(one: ScoredAnswer, other: ScoredAnswer): boolean {
  return textOf(one.tokens).equals(textOf(other.tokens));
}

function textOf(tokens: readonly ScoredToken[]): Buffer {
  return Buffer.from(tokens.flatMap(({ bytes }) => bytes));
}

function continues(text: Buffer, at: number, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => text[at + index] === byte);
}

/** The log-probabilities of tokens, by how many bytes of the text end with them. */
function scoresByEnd(tokens: readonly ScoredToken[]): ReadonlyMap<number, number> {
  let end = 0;
  return new Map(
    tokens.map(({ bytes, logprob }) => {
      end += bytes.length;
      return [end, logprob];
    }),
  );
}
