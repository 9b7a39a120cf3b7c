import type { Config } from "../settings.js";

/** Whether clients need an API key, unless they are identified without one. */
export function hasApiKeys({
  apiKey,
  readOnlyApiKey,
  apiKeyFile,
  keyStore,
}: Pick<Config, "apiKey" | "readOnlyApiKey" | "apiKeyFile" | "keyStore">): boolean {
  const keys = [...apiKey, ...readOnlyApiKey];
  return keys.length > 0 || apiKeyFile !== undefined || keyStore !== undefined;
}
