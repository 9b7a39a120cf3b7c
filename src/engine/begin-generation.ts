import { randomInt } from "node:crypto";
import type { GenerationDefaults } from "../core/generation-request.js";
import type { GrammarLibrary } from "../grammar/grammar-library.js";
import { GrammarProgress } from "./constraints/grammar-progress.js";
import { LimitedReasoning } from "./constraints/limited-reasoning.js";
import type { EngineSettings } from "./engine-settings.js";
import type { LazyValue } from "./lazy-value.js";
import type { NativeContext } from "./native/native-context.js";
import { resolveSampling } from "./sampling/sampling-options.js";
import { RunningGeneration } from "./step/running-generation.js";
import type { Admission } from "./step/step-loop-options.js";
import { GeneratedText } from "./text/output/generated-text.js";
import { OutputParser } from "./text/output/output-parser.js";
import type { createBreakerSearch } from "./text/vocabulary/sequence-breakers.js";
import type { createContinuationTokenizer, Vocabulary } from "./text/vocabulary/vocabulary.js";

/** Parts of an engine that a generation uses. */
export interface GenerationParts {
  readonly settings: EngineSettings;
  readonly defaults: GenerationDefaults;
  readonly vocabulary: Vocabulary;
  readonly context: NativeContext;
  readonly breakersIn: ReturnType<typeof createBreakerSearch>;
  readonly grammars: LazyValue<GrammarLibrary>;
  readonly tokenizeContinuation: ReturnType<typeof createContinuationTokenizer>;
  /** Reasoning with a limit, by the id of its generation. */
  readonly limitedReasoning: Map<string, LimitedReasoning>;
}

/**
 * Starts a generation in its sequence: creates its sampler, its constraint and its output parser.
 */
export function beginGeneration(admission: Admission, parts: GenerationParts): RunningGeneration {
  const { choice, grammar, reading, reasoningLimit, sampling, stopping } = admission.prepared;
  const { bytesOf, controlTextOf, endOfGeneration, tokenize } = parts.vocabulary;
  const options = resolveSampling({
    sampling,
    stopping,
    defaults: parts.defaults.sampling,
    endOfGeneration,
    fallbackSeed: parts.settings.seed ?? randomInt(2 ** 32),
    choice,
    breakersIn: parts.breakersIn,
  });
  const { stop, minTokens, stopTokens = [] } = stopping;
  const endTokens = new Set([...endOfGeneration, ...stopTokens]);
  const grammarProgress =
    grammar === undefined
      ? undefined
      : new GrammarProgress({
          grammar: parts.grammars.get().open(grammar),
          endOfGeneration: endTokens,
          tokenize: parts.tokenizeContinuation,
        });
  const limited =
    reasoningLimit === undefined
      ? undefined
      : new LimitedReasoning({
          limit: reasoningLimit,
          parser: new OutputParser(reading),
          text: new GeneratedText({ bytesOf, controlTextOf, stop: [], minTokens: 0 }),
          tokenize: (text, controlTokens) =>
            controlTokens === "parsed"
              ? tokenize(text, "parsed")
              : parts.tokenizeContinuation(text),
          constraint: grammarProgress,
        });
  if (limited !== undefined) parts.limitedReasoning.set(admission.prepared.id, limited);
  const constraint = limited ?? grammarProgress;
  return new RunningGeneration({
    ...admission,
    endOfGeneration: endTokens,
    constraint,
    createSampler: (tokens) => parts.context.createSampler({ ...tokens, options, constraint }),
    text: new GeneratedText({ bytesOf, controlTextOf, stop, minTokens }),
    parser: new OutputParser(reading),
    now: () => performance.now(),
  });
}
