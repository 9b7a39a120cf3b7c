import { z } from "zod";
import { MAX_CONVERSATION_ID_CHARACTERS } from "../../core/conversation-id.js";

/** Parameters of a route whose streams can be resumed (`http/resumable-answer.ts`). */
export const resumableParams = {
  header: z.object({
    "X-Conversation-Id": z
      .string()
      .max(MAX_CONVERSATION_ID_CHARACTERS)
      .optional()
      .meta({
        param: { id: "ConversationId" },
        description:
          "The client's id of the conversation. With `stream`, the answer continues when the client disconnects, and `GET /v1/stream` resumes it. Stops the previous stream of the conversation.",
      }),
  }),
} as const;
