import type { ConversationObject } from "../../api/responses/response-schema.js";

/** Numeric sampling parameters, by their names in a request. */
export const samplingFields = {
  temperature: { label: "Temperature", min: 0, max: 2, step: 0.1 },
  top_p: { label: "Top p", min: 0, max: 1, step: 0.05 },
  top_k: { label: "Top k", min: 0, max: 1000, step: 1 },
  min_p: { label: "Min p", min: 0, max: 1, step: 0.01 },
  repeat_penalty: { label: "Repeat penalty", min: 0, max: 2, step: 0.05 },
  seed: { label: "Seed", min: 0, max: 4_294_967_295, step: 1 },
  max_output_tokens: { label: "Max tokens", min: 1, max: 1_000_000, step: 1 },
} as const;

export type SamplingField = keyof typeof samplingFields;

export const samplingNames = Object.keys(samplingFields) as SamplingField[];

/** Settings for answering a conversation. Absent settings default to the model's. */
export interface ChatSettings {
  readonly model?: string | undefined;
  /** System message at the beginning of the conversation. */
  readonly instructions?: string | undefined;
  readonly sampling: Readonly<Partial<Record<SamplingField, number>>>;
  /** Tools that the model may call: a JSON array, as in OpenAI's Responses API. */
  readonly tools?: string | undefined;
  /** Whether answers include the probabilities of their tokens. */
  readonly probabilities?: boolean | undefined;
}

/** Alternatives of each token, in answers with probabilities. */
const TOKEN_ALTERNATIVES = 5;

/** Reads the settings of a conversation. Invalid values, from other clients, are ignored. */
export function settingsOf({ metadata }: Pick<ConversationObject, "metadata">): ChatSettings {
  const { model, instructions, tools, sampling, logprobs } = metadata;
  return {
    model,
    instructions,
    tools,
    sampling: parseSampling(sampling),
    ...(logprobs === "on" && { probabilities: true }),
  };
}

/** Reads settings from kept metadata as JSON. Invalid values are ignored. */
export function parseSettings(text: string): ChatSettings {
  const parsed = parseJson(text);
  const isObject = typeof parsed === "object" && parsed !== null;
  return settingsOf({ metadata: isObject ? (parsed as ConversationObject["metadata"]) : {} });
}

function parseSampling(text: string | undefined): ChatSettings["sampling"] {
  const parsed = parseJson(text ?? "{}");
  if (typeof parsed !== "object" || parsed === null) return {};
  const values = parsed as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    samplingNames.flatMap((name) => {
      const value = values[name];
      return typeof value === "number" && Number.isFinite(value) ? [[name, value]] : [];
    }),
  );
}

/** Converts settings to metadata of a conversation. */
export function toMetadata(settings: ChatSettings): Readonly<Record<string, string>> {
  const { model, instructions, tools, sampling, probabilities } = settings;
  return {
    ...(model && { model }),
    ...(instructions && { instructions }),
    ...(tools && { tools }),
    ...(probabilities && { logprobs: "on" }),
    ...(Object.keys(sampling).length > 0 && { sampling: JSON.stringify(sampling) }),
  };
}

/** Returns a conversation's metadata with replaced settings. */
export function withSettings(
  metadata: ConversationObject["metadata"],
  settings: ChatSettings,
): Readonly<Record<string, string>> {
  const { model, instructions, tools, sampling, logprobs, ...others } = metadata;
  return { ...others, ...toMetadata(settings) };
}

/** Converts settings to fields of a request. */
export function toRequestFields(settings: ChatSettings): Readonly<Record<string, unknown>> {
  const { model, instructions, tools, sampling, probabilities } = settings;
  const offeredTools = parseJson(tools ?? "");
  return {
    ...(model && { model }),
    ...(instructions && { instructions }),
    ...sampling,
    ...(probabilities && {
      top_logprobs: TOKEN_ALTERNATIVES,
      include: ["message.output_text.logprobs"],
    }),
    ...(Array.isArray(offeredTools) && { tools: offeredTools }),
  };
}

/**
 * Describes why the text of a sampling parameter cannot be used; `undefined`: it can. An empty text
 * means the model's default.
 */
export function findSamplingProblem(name: SamplingField, text: string): string | undefined {
  const { label, min, max, step } = samplingFields[name];
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const value = Number(trimmed);
  const isWrong = Number.isNaN(value) || (step === 1 && !Number.isInteger(value));
  if (!isWrong && value >= min && value <= max) return undefined;
  const kind = step === 1 ? "a whole number" : "a number";
  return `${label}: expected ${kind} from ${formatBound(min)} to ${formatBound(max)}, got ${trimmed}.`;
}

function formatBound(bound: number): string {
  return bound.toLocaleString("en-US");
}

/** @returns `undefined` if the text is not JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum length of a title, which is the beginning of the conversation. */
const TITLE_CHARACTERS = 60;

/** Derives a conversation's title from its first text. */
export function deriveTitle(text: string): string {
  const line = text.trim().split(/\s+/).join(" ");
  if (line === "") return "Images";
  const characters = [...line];
  return characters.length <= TITLE_CHARACTERS
    ? line
    : `${characters
        .slice(0, TITLE_CHARACTERS - 1)
        .join("")
        .trimEnd()}…`;
}

/** Returns the title of a conversation. */
export function titleOfConversation({
  metadata,
  created_at,
}: Pick<ConversationObject, "metadata" | "created_at">): string {
  return metadata.title ?? `Conversation of ${new Date(created_at * 1000).toLocaleString()}`;
}
