import type { MediaKind } from "../core/media.js";
import { mediaOfPrompt, withMediaOf } from "../core/prompt-media.js";
import type { TextService } from "../core/text-question.js";
import { expectAccepted } from "./accepted-media.js";

/**
 * The same service, for conversations with media. What they hold is not read: only their places are asked about.
 * @param accepted what the model takes beside text, at the moment
 */
export function askedWithoutContent(
  service: TextService,
  accepted: () => readonly MediaKind[],
): TextService {
  return {
    async ask(question) {
      if (question.type !== "render") return service.ask(question);
      const { prompt } = question;
      expectAccepted(mediaOfPrompt(prompt), accepted());
      const places = withMediaOf(prompt, (part) => ({
        ...part,
        content: { type: "divided", segments: [] },
      }));
      return service.ask({ ...question, prompt: places });
    },
  };
}
