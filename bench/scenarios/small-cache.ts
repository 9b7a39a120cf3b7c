/**
 * Small budget for saved states, which fills up early, so that later memory growth is not due to
 * the prefix cache. The default budget is up to a gibibyte.
 */
export const smallCacheFlags: readonly string[] = ["--cache-ram", "16"];
