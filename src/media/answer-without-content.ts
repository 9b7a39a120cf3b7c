import type { MediaKind } from "../core/media.js";
import { mediaOfPrompt, replaceMedia } from "../core/prompt-media.js";
import type { TextService } from "../core/text-question.js";
import { expectAccepted } from "./accepted-media.js";

/**
 * Wraps a text service so that conversations with media can be rendered without reading the media:
 * only their positions in the prompt matter.
 * @param getAcceptedKinds returns the kinds of media that the model currently accepts in addition to text
 */
export function answerWithoutContent(
  service: TextService,
  getAcceptedKinds: () => readonly MediaKind[],
): TextService {
  return {
    async ask(question) {
      if (question.type !== "render") return service.ask(question);
      const { prompt } = question;
      expectAccepted(mediaOfPrompt(prompt), getAcceptedKinds());
      const placeholderPrompt = replaceMedia(prompt, (part) => ({
        ...part,
        content: { type: "divided", segments: [] },
      }));
      return service.ask({ ...question, prompt: placeholderPrompt });
    },
  };
}
