/** Where Prometheus looks unless it is told otherwise. */
export const METRICS_PATH = "/metrics";
