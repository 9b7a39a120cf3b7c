/** Time for which something is kept, in milliseconds. */
export type KeepTime = number | "forever";

/** Milliseconds per unit of Go's durations. */
const UNITS_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const PART = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/gy;

/**
 * Parses the time for which a model is kept: a number of seconds, or a duration such as `5m` or
 * `1h30m`; a negative value means forever. Follows Ollama's `keep_alive` (`api/types.go`), which
 * parses texts like Go (`time.ParseDuration`); a numeric text is accepted as well, as in Ollama's
 * `OLLAMA_KEEP_ALIVE`.
 * @returns `undefined` if the value is neither
 */
export function parseKeepTime(value: number | string): KeepTime | undefined {
  if (typeof value === "number") return fromMs(value * 1000);
  const text = value.trim();
  if (/^[-+]?\d+(\.\d+)?$/.test(text)) return fromMs(Number(text) * 1000);
  const [, sign = "", parts = ""] = /^([-+]?)(.+)$/s.exec(text) ?? [];
  let ms = 0;
  let end = 0;
  for (const part of parts.matchAll(PART)) {
    ms += Number(part[1]) * (UNITS_MS[part[2] ?? ""] ?? Number.NaN);
    end = part.index + part[0].length;
  }
  if (parts === "" || end !== parts.length) return undefined;
  return fromMs(sign === "-" ? -ms : ms);
}

function fromMs(ms: number): KeepTime | undefined {
  if (Number.isNaN(ms)) return undefined;
  // Go durations cannot exceed 292 years, so a longer time means forever.
  return ms < 0 || ms > Number.MAX_SAFE_INTEGER ? "forever" : ms;
}
