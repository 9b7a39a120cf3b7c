import { Counter, type Registry } from "prom-client";
import type { AddedTokens } from "./answer-meter.js";

/** Counts what each API key asks for, by its name. */
export interface KeyMetrics {
  request(key: string): void;
  error(key: string): void;
  tokens(key: string, tokens: AddedTokens): void;
}

export function keyMetricsIn(registry: Registry): KeyMetrics {
  const counter = (name: string, help: string) =>
    new Counter({ name: `ggufd:key_${name}`, help, labelNames: ["key"], registers: [registry] });
  const requests = counter("requests_total", "Requests with this API key.");
  const errors = counter("errors_total", "Requests with this API key that ended with an error.");
  const prompt = counter("prompt_tokens_total", "Prompt tokens, cached ones included.");
  const generation = counter("generation_tokens_total", "Generated tokens.");
  return {
    request: (key) => {
      requests.inc({ key });
      for (const other of [errors, prompt, generation]) other.inc({ key }, 0);
    },
    error: (key) => errors.inc({ key }),
    tokens(key, added) {
      prompt.inc({ key }, added.prompt);
      generation.inc({ key }, added.generation);
    },
  };
}

/** The names of keys may be too many for a server of metrics: they are counted on request only. */
export const noKeyMetrics: KeyMetrics = {
  request: () => undefined,
  error: () => undefined,
  tokens: () => undefined,
};
