import type { UsageEntry, UsageSink } from "../core/usage.js";
import type { RequestReporter } from "./record-requests.js";
import type { AnswerRecord } from "./request-record.js";

/**
 * Reports the usage of each answer when it has ended. A request counts once, with its first
 * answer. Answers that never left the queue are not usage.
 */
export function createUsageReporter(sink: UsageSink): RequestReporter {
  return {
    begin: ({ route = "", batchId }) => {
      let isCounted = false;
      return {
        answered: (answer) => {
          if (answer.runningAtMs === undefined) return;
          sink.add({
            ...toUsage(answer),
            api: route,
            class: batchId === undefined ? "interactive" : "batch",
            requests: isCounted ? 0 : 1,
          });
          isCounted = true;
        },
        complete: () => undefined,
      };
    },
  };
}

function toUsage({
  model,
  keyName = "",
  adapters = [],
  media = { images: 0, audioSeconds: 0 },
  promptTokens,
  cachedTokens,
  completionTokens,
  engineMs,
}: AnswerRecord): Omit<UsageEntry, "api" | "class" | "requests"> {
  return {
    key: keyName,
    model,
    adapter: adapters.toSorted().join(","),
    promptTokens,
    cachedTokens,
    completionTokens,
    ...media,
    engineMs: Math.round(engineMs),
  };
}
