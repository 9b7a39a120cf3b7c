import type { ChatRequest } from "../client/chat-request.js";
import { inParallel } from "../client/in-parallel.js";
import {
  type ControlledAnswers,
  completenessOf,
  jsonMeasures,
  jsonMeasureTypes,
  jsonSample,
  jsonTargets,
  type Round,
} from "./json-measures.js";
import {
  type ControlledRequest,
  controlledRequests,
  controlMembers,
  type Decoding,
  warmUpRequest,
} from "./json-requests.js";
import type { Load, Scenario } from "./scenario.js";

const sizes = {
  full: { rounds: 3, minPrompts: 4, maxTokens: 400 },
  quick: { rounds: 1, minPrompts: 1, maxTokens: 400 },
} as const;

/** Number of words that make each prompt unique. */
const WORDS = 4;

/**
 * Answers constrained by schemas, tools and expressions, against free answers of the same lengths.
 */
export const json: Scenario = {
  name: "json",
  description: "constrained answers, compared with free ones to the same prompts",
  comparison: { kind: "peer" },
  defaults: {
    full: { model: "shipped", clients: [1, 16], slots: 16, contextSize: 1024 },
    quick: { model: "tiny", clients: [2], slots: 2, contextSize: 1024 },
  },
  measures: jsonMeasureTypes,
  targets: jsonTargets,
  async run(load) {
    // Compiles the code before the measurement.
    await measureRequest(load, warmUpRequest);
    const answers: ControlledAnswers[] = [];
    for (const request of controlledRequests) {
      const answer = await measureRequest(load, request);
      load.signal.throwIfAborted();
      load.recordSample(jsonSample(answer));
      answers.push(answer);
    }
    return jsonMeasures(answers);
  },
};

/** Measures one request, after its prompt has been evaluated and its schema compiled. */
async function measureRequest(load: Load, request: ControlledRequest): Promise<ControlledAnswers> {
  const { clients, effort, complete } = load;
  const { maxTokens, minPrompts, rounds } = sizes[effort];
  const count = Math.max(clients, minPrompts);
  const ask = (prompt: number, decoding: Decoding, tokens: number) =>
    complete(chatRequest(load, request, { prompt, decoding, maxTokens: tokens }));

  await inParallel(count, clients, (prompt) => ask(prompt, "free", 1));
  const first = await ask(0, "constrained", maxTokens);
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const constrained = await inParallel(count, clients, (prompt) =>
      ask(prompt, "constrained", maxTokens),
    );
    const free = await inParallel(count, clients, (prompt) =>
      ask(prompt, "free", Math.max(1, constrained[prompt]?.tokens?.completion ?? 1)),
    );
    measured.push({ constrained, free });
  }
  return { request: request.name, first, rounds: measured, isComplete: completenessOf(request) };
}

interface Asked {
  /** Number of the prompt; the same number gives the same text. */
  readonly prompt: number;
  readonly decoding: Decoding;
  readonly maxTokens: number;
}

/**
 * Builds the request. Free answers are truncated at the length of the constrained ones, which end
 * by themselves.
 */
function chatRequest(
  { prompts, server }: Load,
  { name, task, control }: ControlledRequest,
  { prompt, decoding, maxTokens }: Asked,
): ChatRequest {
  const content = `${task} ${prompts.words(`${name} ${prompt}`, WORDS)}`;
  return {
    messages: [{ role: "user", content }],
    maxTokens,
    endedBy: decoding === "constrained" ? "model" : "limit",
    // Greedy decoding degenerates into repetition, which speculation would speed up.
    sampling: { temperature: 1, seed: prompt },
    members: controlMembers(control, decoding, server),
  };
}
