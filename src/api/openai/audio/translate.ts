import { createRefusal } from "../../../core/errors.js";
import type { ChatMessage, GenerationRequest } from "../../../core/generation-request.js";
import type { ContentPart } from "../../../core/media.js";
import type { GenerationModel } from "../../../core/model-directory.js";
import { type AudioRequest, FILE_FIELD } from "./request.js";

/** Task for an audio file, by the names in OpenAI's API. */
export type AudioTask = "transcribe" | "translate";

/** Properties of the model that the prompt depends on. */
type AudioModel = Pick<GenerationModel, "alias" | "engine">;

/**
 * Translates a request for the engine: a conversation of one message, with the instructions before
 * the audio, as in llama-server.
 * @param id unique among the requests in flight
 */
export function toGenerationRequest(
  body: AudioRequest,
  id: string,
  { task, engine }: { readonly task: AudioTask } & Pick<AudioModel, "engine">,
): GenerationRequest {
  const { system, user } = selectInstructions(task, engine);
  const text = (body.prompt ?? user) + formatLanguageNote(task, body);
  const audio = {
    type: "media",
    kind: "audio",
    field: FILE_FIELD,
    content: body.file,
  } as const;
  const content: readonly ContentPart[] = text === "" ? [audio] : [{ type: "text", text }, audio];
  const messages: readonly ChatMessage[] = [{ role: "user", content }];
  return {
    id,
    prompt: {
      type: "chat",
      messages:
        system === undefined ? messages : [{ role: "system", content: system }, ...messages],
      tools: [],
      templateVariables: {},
    },
    sampling: { temperature: body.temperature ?? 0 },
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  };
}

/** @throws {GgufdError} `invalid_request`: the model has no audio input */
export function requireAudioInput({ alias, engine }: AudioModel): void {
  if (engine.media?.includes("audio")) return;
  const reason = `expected a model with audio input, got \`${alias}\``;
  throw createRefusal("invalid_request", [{ field: "model", reason }]);
}

/**
 * Instructions for the model. The text for transcriptions is llama-server's
 * (`common_chat_get_asr_prompt`); the one for translations is ggufd's.
 */
function selectInstructions(
  task: AudioTask,
  { model: { chatTemplate = "" } }: AudioModel["engine"],
): { readonly system?: string; readonly user: string } {
  if (task === "translate") return { user: "Translate audio to English text" };
  return isLfm2(chatTemplate)
    ? { system: "Perform ASR.", user: "" }
    : { user: "Transcribe audio to text" };
}

/**
 * Detects the LFM2 family, like llama.cpp's `is_lfm2_template`: its models are trained with a
 * system message.
 */
function isLfm2(template: string): boolean {
  return template.includes("<|tool_list_start|>") && template.includes("<|tool_list_end|>");
}

/**
 * Formats a note about the language. For a translation it says "spoken", since the language alone
 * could be read as the target.
 */
function formatLanguageNote(task: AudioTask, { language }: AudioRequest): string {
  if (language === undefined) return "";
  return task === "translate" ? ` (spoken language: ${language})` : ` (language: ${language})`;
}
