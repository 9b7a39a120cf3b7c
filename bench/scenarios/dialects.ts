import { InputError } from "../../models/command-line/input-error.js";
import { chatCompletions } from "../client/dialects/chat-completions.js";
import type { Dialect } from "../client/dialects/dialect.js";
import { messages } from "../client/dialects/messages.js";
import { ollamaChat, ollamaGenerate } from "../client/dialects/ollama.js";
import { responses } from "../client/dialects/responses.js";
import { textCompletions } from "../client/dialects/text-completions.js";
import { inParallel } from "../client/in-parallel.js";
import type { RequestRecord } from "../client/request-record.js";
import {
  type Compared,
  dialectMeasures,
  dialectMeasureTypes,
  dialectSample,
  dialectTargets,
} from "./dialects-measures.js";
import type { Load, Scenario } from "./scenario.js";

const sizes = {
  full: { rounds: 3, promptTokens: 64, maxTokens: 128 },
  quick: { rounds: 1, promptTokens: 16, maxTokens: 8 },
} as const;

const others = [textCompletions, responses, messages, ollamaChat, ollamaGenerate];
const names = others.map(({ name }) => name);

/** Streams of all dialects, each between two rounds of chat completions on the same server. */
export const dialects: Scenario = {
  name: "dialects",
  description: "streams of every dialect, compared with chat completions of the same prompts",
  comparison: { kind: "alone" },
  defaults: {
    full: { model: "15m+gpt-2", clients: [32], slots: 32, contextSize: 512 },
    quick: { model: "tiny", clients: [4], slots: 4, contextSize: 512 },
  },
  measures: dialectMeasureTypes(names),
  targets: dialectTargets(names),
  async run(load) {
    // Compiles the code before the measurement.
    for (const dialect of others) await askAll(load, dialect, "warm-up");
    const { rounds, maxTokens } = sizes[load.effort];
    const compared: Compared[] = [];
    for (let round = 1; round <= rounds; round++) {
      let before = await askAll(load, chatCompletions, `${round}`);
      for (const dialect of others) {
        const records = await askAll(load, dialect, `${round}`);
        const after = await askAll(load, chatCompletions, `${round} after ${dialect.name}`);
        load.signal.throwIfAborted();
        const one = { dialect: dialect.name, records, chats: [before, after] as const };
        load.recordSample({ round: String(round), ...dialectSample(one, maxTokens) });
        compared.push(one);
        before = after;
      }
    }
    return dialectMeasures(names, compared, maxTokens);
  },
};

/** Sends one request per client, all at once. */
async function askAll(load: Load, dialect: Dialect, name: string): Promise<RequestRecord[]> {
  const { clients, effort, ask } = load;
  const { promptTokens, maxTokens } = sizes[effort];
  const contents = await inParallel(clients, clients, async (client) => {
    // All dialects share the words; the prefix keeps prompts out of the cache.
    const prefix = load.prompts.text(`${dialect.name} ${name} ${client}`, 0);
    const content = `${prefix} ${load.prompts.plainText(`${client}`, promptTokens)}`;
    return dialect === textCompletions ? rendered(load, content) : content;
  });
  return Promise.all(
    contents.map((content) => ask(dialect, { messages: [{ role: "user", content }], maxTokens })),
  );
}

/**
 * Renders a user's message with the chat template, so that a text completion's prompt has as many
 * tokens.
 * @throws {InputError} if the server does not render it
 */
async function rendered({ post }: Load, content: string): Promise<string> {
  const { record, body } = await post("../apply-template", {
    messages: [{ role: "user", content }],
  });
  if (record.error !== undefined) throw new InputError(`/apply-template: ${record.error}`);
  const { prompt = "" }: { readonly prompt?: string } = body ?? {};
  return prompt;
}
