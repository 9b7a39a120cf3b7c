import { messagesGroup } from "./api/anthropic/routes.js";
import type { DescribedGroup } from "./api/description/described-route.js";
import { type OllamaContext, ollamaGroup } from "./api/ollama/routes.js";
import { textCompletionRoute } from "./api/openai/completions/routes.js";
import { embeddingRoutes } from "./api/openai/embeddings/routes.js";
import { infillRoute } from "./api/openai/infill/routes.js";
import { type NativeContext, nativeRoutes } from "./api/openai/native/routes.js";
import { slotRoutes } from "./api/openai/native/slot-routes.js";
import { inferenceTag, openAiErrorFormat } from "./api/openai/openapi.js";
import { rerankRoutes } from "./api/openai/rerank/routes.js";
import type { ResponsesContext } from "./api/openai/responses/context.js";
import { responsesGroup } from "./api/openai/responses/routes.js";
import { openAiRoutes } from "./api/openai/routes.js";
import { scoreRoute } from "./api/openai/score/routes.js";
import { textRoutes } from "./api/openai/texts/routes.js";

/** What the handlers of all routes need. */
export interface ServerContext extends NativeContext, OllamaContext, ResponsesContext {}

const inference: DescribedGroup<NativeContext> = {
  tag: inferenceTag,
  about: "Chat, completions, responses, embeddings and rankings in the dialects of common clients.",
  errors: openAiErrorFormat,
  routes: [
    ...openAiRoutes,
    textCompletionRoute,
    infillRoute,
    ...nativeRoutes,
    ...slotRoutes,
    ...textRoutes,
    ...embeddingRoutes,
    ...rerankRoutes,
    scoreRoute,
  ],
};

/** All routes of the server, in the order of the description. */
export const routeGroups: readonly DescribedGroup<ServerContext>[] = [
  inference,
  responsesGroup,
  messagesGroup,
  ollamaGroup,
];
