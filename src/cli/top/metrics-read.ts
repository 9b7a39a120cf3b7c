/** The metrics that are read, as `docs/operations.md` lists them. Histograms are named without `_bucket`. */
export const metric = {
  buildInfo: "ggufd:build_info",
  ready: "ggufd:ready",
  draining: "ggufd:draining",
  httpRequests: "ggufd:http_requests_total",
  errors: "ggufd:errors_total",
  residentMemory: "process_resident_memory_bytes",
  startTime: "process_start_time_seconds",
  modelReady: "ggufd:model_ready",
  running: "ggufd:num_requests_running",
  waiting: "ggufd:num_requests_waiting",
  slots: "ggufd:num_slots",
  promptTokens: "ggufd:prompt_tokens_total",
  generatedTokens: "ggufd:generation_tokens_total",
  timeToFirstToken: "ggufd:time_to_first_token_seconds",
  interTokenLatency: "ggufd:inter_token_latency_seconds",
  kvCacheUse: "ggufd:kv_cache_usage_perc",
  cacheQueries: "ggufd:prefix_cache_queries_total",
  cacheHits: "ggufd:prefix_cache_hits_total",
  engineMemory: "ggufd:engine_resident_memory_bytes",
  engineRestarts: "ggufd:engine_restarts_total",
} as const;

/** Labels that they have. */
export const label = {
  model: "model_name",
  code: "code",
  version: "version",
  route: "route",
} as const;

/** Routes that machines ask every few seconds, this program among them. */
export const PROBES: ReadonlySet<string | undefined> = new Set([
  "/health",
  "/health/live",
  "/health/ready",
  "/metrics",
]);
