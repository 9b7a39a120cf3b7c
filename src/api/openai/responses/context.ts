import type { AnswerContext } from "../../description/described-route.js";
import type { OwnedResponses } from "./responses.js";
import type { HostedToolPolicy } from "./unsupported-parameters.js";

/** What the handlers of responses and conversations need. */
export interface ResponsesContext extends AnswerContext {
  /** Kept as long as the application runs. */
  readonly responses: OwnedResponses;
  /** What becomes of tools that do not run here. */
  readonly hostedTools: HostedToolPolicy;
}
