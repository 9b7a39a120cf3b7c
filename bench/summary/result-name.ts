import type { ScenarioResult } from "./result-file.js";

/** File name of a result: `decode-135m`, `decode-15m-qwen2`. */
export function resultName({ scenario, settings }: ScenarioResult): string {
  const model = settings.model.replace(/\.gguf$/, "").replaceAll(/[^\w.-]+/g, "-");
  return `${scenario}-${model}`;
}
