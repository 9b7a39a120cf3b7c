import type { z } from "zod";
import type { GenerationRequest } from "../../core/generation-request.js";
import {
  type ChatFields,
  type GenerateFields,
  type ToFields,
  toChatFields,
  toGenerateFields,
} from "./answer-fields.js";
import { changeAskedInChat, changeAskedInGenerate, type ModelChange } from "./empty-request.js";
import {
  type ChatRequest,
  type CommonRequest,
  chatRequest,
  type GenerateRequest,
  generateRequest,
} from "./request-schema.js";
import { toChatGeneration, toTextGeneration } from "./translate.js";

/** A route that answers: how its requests are read, and in which fields the answer is. */
export interface Endpoint<Body extends CommonRequest, Fields extends object> {
  readonly schema: z.ZodType<Body>;
  /** @returns `undefined`: the request asks for an answer */
  readonly changeAsked: (body: Body) => ModelChange | undefined;
  readonly toGeneration: (body: Body, id: string) => GenerationRequest;
  readonly toFields: ToFields<Fields>;
}

/** `POST /api/chat` */
export const CHAT: Endpoint<ChatRequest, ChatFields> = {
  schema: chatRequest,
  changeAsked: changeAskedInChat,
  toGeneration: toChatGeneration,
  toFields: toChatFields,
};

/** `POST /api/generate` */
export const GENERATE: Endpoint<GenerateRequest, GenerateFields> = {
  schema: generateRequest,
  changeAsked: changeAskedInGenerate,
  toGeneration: toTextGeneration,
  toFields: toGenerateFields,
};
