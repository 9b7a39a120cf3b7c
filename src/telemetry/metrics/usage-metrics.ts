import { Counter, Gauge, type Registry } from "prom-client";
import type { UsageActivity } from "../../core/usage.js";

/** Registers the metrics of writing usage. */
export function registerUsageMetrics(registry: Registry, read: () => UsageActivity): void {
  const registers = [registry];
  new Gauge({
    name: "ggufd:usage_unwritten_requests",
    help: "Ended requests whose usage is not yet written.",
    registers,
    collect() {
      this.set(read().unwrittenRequests);
    },
  });
  new Counter({
    name: "ggufd:usage_failed_writes_total",
    help: "Failed writes of usage, each of which is tried again.",
    registers,
    collect() {
      this.reset();
      this.inc(read().failedWrites);
    },
  });
}
