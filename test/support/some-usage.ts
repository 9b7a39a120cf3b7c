import { NO_USAGE, type UsageEntry } from "../../src/core/usage.js";

/** Usage of one request of a key `alice`, except for the given fields. */
export function someUsage(given: Partial<UsageEntry> = {}): UsageEntry {
  return {
    ...NO_USAGE,
    key: "alice",
    model: "mini",
    adapter: "",
    api: "/v1/chat/completions",
    class: "interactive",
    requests: 1,
    promptTokens: 10,
    completionTokens: 3,
    ...given,
  };
}
