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
}

export const noSettings: ChatSettings = { sampling: {} };

/** Reads the settings of a conversation. Invalid values, from other clients, are ignored. */
export function settingsOf({ metadata }: Pick<ConversationObject, "metadata">): ChatSettings {
  const { model, instructions, tools, sampling } = metadata;
  return { model, instructions, tools, sampling: parseSampling(sampling) };
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
  const { model, instructions, tools, sampling } = settings;
  return {
    ...(model && { model }),
    ...(instructions && { instructions }),
    ...(tools && { tools }),
    ...(Object.keys(sampling).length > 0 && { sampling: JSON.stringify(sampling) }),
  };
}

/** Returns a conversation's metadata with replaced settings. */
export function withSettings(
  metadata: ConversationObject["metadata"],
  settings: ChatSettings,
): Readonly<Record<string, string>> {
  const { model, instructions, tools, sampling, ...others } = metadata;
  return { ...others, ...toMetadata(settings) };
}

/** Converts settings to fields of a request. */
export function toRequestFields(settings: ChatSettings): Readonly<Record<string, unknown>> {
  const { model, instructions, tools, sampling } = settings;
  return {
    ...(model && { model }),
    ...(instructions && { instructions }),
    ...sampling,
    ...(tools && findToolsProblem(tools) === undefined && { tools: parseJson(tools) }),
  };
}

/** Describes the error in a tools text; `undefined`: none found by this check. */
export function findToolsProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  const parsed = parseJson(text);
  if (Array.isArray(parsed)) return undefined;
  return parsed === undefined
    ? "Expected JSON: an array of tools."
    : "Expected an array of tools, [ … ].";
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
