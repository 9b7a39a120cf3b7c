import { refusalOf } from "../../../core/errors.js";
import type { ChatMessage, GenerationRequest } from "../../../core/generation-request.js";
import type { ContentPart } from "../../../core/media.js";
import type { GenerationModel } from "../../../core/model-directory.js";
import { type AudioRequest, FILE_FIELD } from "./request.js";

/** What is done with audio, by OpenAI's names. */
export type AudioTask = "transcribe" | "translate";

/** Who answers, as far as the prompt depends on it. */
type Listener = Pick<GenerationModel, "alias" | "engine">;

/**
 * Translates a request for the engine: a conversation of one message, in which what is to be done comes before the audio,
 * as with llama-server.
 * @param id unique among the requests in flight
 */
export function toGenerationRequest(
  body: AudioRequest,
  id: string,
  { task, engine }: { readonly task: AudioTask } & Pick<Listener, "engine">,
): GenerationRequest {
  const { system, user } = instructions(task, engine);
  const text = (body.prompt ?? user) + languageNote(task, body);
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

/** @throws {GgufdError} `invalid_request`: the model takes no audio */
export function expectHearing({ alias, engine }: Listener): void {
  if (engine.media?.includes("audio")) return;
  const reason = `expected a model that hears audio, got \`${alias}\`, which does not`;
  throw refusalOf("invalid_request", [{ field: "model", reason }]);
}

/** What a model is told: llama-server's words (`common_chat_get_asr_prompt`), and ours for translations. */
function instructions(
  task: AudioTask,
  { model: { chatTemplate = "" } }: Listener["engine"],
): { readonly system?: string; readonly user: string } {
  if (task === "translate") return { user: "Translate audio to English text" };
  return isOfLfm2(chatTemplate)
    ? { system: "Perform ASR.", user: "" }
    : { user: "Transcribe audio to text" };
}

/** llama.cpp's `is_lfm2_template`: models of this family have been trained to a system message. */
function isOfLfm2(template: string): boolean {
  return template.includes("<|tool_list_start|>") && template.includes("<|tool_list_end|>");
}

/** Beside a translation, a language alone could be the one that is wanted. */
function languageNote(task: AudioTask, { language }: AudioRequest): string {
  if (language === undefined) return "";
  return task === "translate" ? ` (spoken language: ${language})` : ` (language: ${language})`;
}
