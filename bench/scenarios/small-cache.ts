/**
 * A budget for saved states that is taken soon: what memory grows by afterwards is not the prefix cache, which
 * may have a gibibyte by default.
 */
export const smallCacheFlags: readonly string[] = ["--cache-ram", "16"];
