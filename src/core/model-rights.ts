/** Rights and limits of the requests of a key; an absent field does not limit. */
export interface ModelRights {
  /** Names of models; `*` stands for any characters. */
  readonly models?: readonly string[];
  /** Names of LoRA adapters, as {@link models}; empty: none. */
  readonly adapters?: readonly string[];
  /**
   * Maximum tokens of a request, prompt and answer together, and of one input that is embedded or
   * ranked.
   */
  readonly maxContext?: number;
  /** Maximum tokens of an answer. */
  readonly maxTokens?: number;
  /** Smallest permitted priority; smaller priorities are served first. */
  readonly priorityCeiling?: number;
}

/** Whether the rights limit anything. */
export function isLimited(rights: ModelRights): boolean {
  const { models, adapters, maxContext, maxTokens, priorityCeiling } = rights;
  const limits = [models, adapters, maxContext, maxTokens, priorityCeiling];
  return limits.some((limit) => limit !== undefined);
}

/**
 * Whether a name matches a pattern of the list, regardless of case.
 * @param patterns names, in which `*` stands for any characters; `undefined`: every name matches
 */
export function isPermitted(patterns: readonly string[] | undefined, name: string): boolean {
  return patterns === undefined || patterns.some((pattern) => matchesPattern(pattern, name));
}

/** Whether a key may use a model, by its name or one of its aliases. */
export function permitsModel(
  { models }: Pick<ModelRights, "models">,
  { alias, aliases }: { readonly alias: string; readonly aliases: readonly string[] },
): boolean {
  return [alias, ...aliases].some((name) => isPermitted(models, name));
}

/** Takes each text between wildcards at its first occurrence, so that the time is linear. */
function matchesPattern(pattern: string, name: string): boolean {
  const [start = "", ...rest] = pattern.toLowerCase().split("*");
  const lower = name.toLowerCase();
  const end = rest.pop();
  if (end === undefined) return lower === start;
  if (!lower.startsWith(start)) return false;
  let position = start.length;
  for (const part of rest) {
    const found = lower.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return lower.length - end.length >= position && lower.endsWith(end);
}
