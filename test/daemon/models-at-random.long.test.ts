import { describe, expect, it } from "vitest";
import { Random } from "../../models/random/random-choices.js";
import { type Daemon, SEVERAL_STARTS } from "./daemon.js";
import { ask, type ModelName, NAMES, request, startTwoOfThree, textOf } from "./several-models.js";

const CLIENTS = 8;
const REQUESTS_EACH = 4;

/** Greedy requests, and requests sampled with a seed. */
const questions = [
  { temperature: 0 },
  { temperature: 1, seed: 5 },
  { temperature: 0, messages: [{ role: "user", content: "Once upon a time" }] },
  { temperature: 1, seed: 6, messages: [{ role: "user", content: "Once upon a time" }] },
] as const;

type Outcome =
  | { readonly status: 200; readonly text: string | undefined }
  | { readonly status: number; readonly retryAfter: string | null };

async function askFor(
  daemon: Daemon,
  model: ModelName,
  question: object,
  mode: "streamed" | "whole",
): Promise<Outcome> {
  if (mode === "streamed") return stream(daemon, model, question);
  const answer = await ask(daemon, model, question);
  const { status, retryAfter } = answer;
  return status === 200 ? { status, text: textOf(answer) } : { status, retryAfter };
}

async function stream({ url }: Daemon, model: ModelName, question: object): Promise<Outcome> {
  const response = await request(url, model, { ...question, stream: true });
  const { status, headers } = response;
  const body = await response.text();
  if (status !== 200) return { status, retryAfter: headers.get("retry-after") };
  expect(body).toMatch(/data: \[DONE\]\n\n$/);
  const texts = [...body.matchAll(/^data: (\{.*)$/gm)].map(
    ([, data = ""]) => JSON.parse(data).choices[0]?.delta.content ?? "",
  );
  return { status, text: texts.join("") };
}

describe("models requested at random", () => {
  it("give each client the model's own answer or an error with Retry-After", {
    timeout: SEVERAL_STARTS,
  }, async () => {
    const daemon = await startTwoOfThree();
    const alone = new Map<string, Outcome>();
    for (const model of NAMES) {
      for (const [index, question] of questions.entries()) {
        alone.set(`${model} ${index}`, await askFor(daemon, model, question, "whole"));
      }
    }
    const client = async (number: number) => {
      const random = new Random(number);
      for (let turn = 0; turn < REQUESTS_EACH; turn++) {
        const model = random.pick(NAMES);
        const index = random.int(0, questions.length - 1);
        const mode = number % 2 === 0 ? "streamed" : "whole";
        const outcome = await askFor(daemon, model, questions[index] ?? {}, mode);
        const expected =
          outcome.status === 503
            ? { status: 503, retryAfter: expect.stringMatching(/^\d+$/) }
            : alone.get(`${model} ${index}`);
        expect(outcome).toEqual(expected);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
    const texts = [...alone.values()].map((outcome) => JSON.stringify(outcome));
    expect(new Set(texts).size).toBe(NAMES.length * questions.length);
  });
});
