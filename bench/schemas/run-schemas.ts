import type { Vocabulary } from "../../src/engine/text/vocabulary/vocabulary.js";
import { UnsupportedGrammar, WorkLimitExceeded } from "../../src/grammar/errors.js";
import { schemaGrammar } from "../../src/grammar/json-schema/schema-grammar.js";
import { allows } from "../../src/grammar/mask/token-mask.js";
import {
  GrammarEpoch,
  type GrammarVocabulary,
  TokenGrammar,
} from "../../src/grammar/token-grammar.js";
import { inSchemaOrder } from "./property-order.js";
import { pythonJson } from "./python-json.js";
import type { SchemaCase } from "./schema-cases.js";

/** Result of one schema. */
export interface CaseResult {
  readonly name: string;
  readonly outcome: "passing" | "refused" | "failing" | "crashed";
  /** Reason of the refusal or failure. */
  readonly reason: string | undefined;
  /** Number of valid instances that were rejected. */
  readonly validationErrors: number;
  /** Number of invalid instances that were accepted. */
  readonly invalidationErrors: number;
  /** Number of instances whose properties were not in the schema's order. */
  readonly reordered: number;
  /** Time to compile the schema and to compute the first mask, or to refuse it, in µs. */
  readonly firstMaskUs: number;
  /** Computation times of the masks, in µs. */
  readonly maskUs: readonly number[];
}

/** Runs MaskBench's procedure, with the state that schemas share in the server as well. */
export class SchemaRunner {
  readonly #vocabulary: Vocabulary;
  readonly #grammarVocabulary: GrammarVocabulary;
  #epoch: GrammarEpoch;

  constructor(vocabulary: Vocabulary, grammarVocabulary: GrammarVocabulary) {
    this.#vocabulary = vocabulary;
    this.#grammarVocabulary = grammarVocabulary;
    this.#epoch = new GrammarEpoch(grammarVocabulary);
  }

  run({ name, schema, instances }: SchemaCase): CaseResult {
    if (this.#epoch.isFull) this.#epoch = new GrammarEpoch(this.#grammarVocabulary);
    const began = performance.now();
    const untimed = { name, validationErrors: 0, invalidationErrors: 0, reordered: 0, maskUs: [] };
    const since = () => (performance.now() - began) * 1_000;
    let grammar: TokenGrammar;
    try {
      grammar = new TokenGrammar(schemaGrammar(schema), this.#epoch);
      grammar.maskOf(grammar.start);
    } catch (error) {
      const firstMaskUs = since();
      const isRefusal = error instanceof UnsupportedGrammar || error instanceof WorkLimitExceeded;
      return {
        ...untimed,
        outcome: isRefusal ? "refused" : "crashed",
        reason: reasonFor(error),
        firstMaskUs,
      };
    }
    const firstMaskUs = since();
    const maskUs: number[] = [];
    const errors = { validation: 0, invalidation: 0 };
    let reordered = 0;
    try {
      for (const { isValid, value } of instances) {
        const ordered = inSchemaOrder(value, schema);
        const text = pythonJson(ordered);
        if (text !== pythonJson(value)) reordered++;
        const isAccepted = this.#accepts(grammar, text, maskUs);
        if (isValid && !isAccepted) errors.validation++;
        if (!isValid && isAccepted) errors.invalidation++;
      }
    } catch (error) {
      return { ...untimed, outcome: "crashed", reason: reasonFor(error), firstMaskUs };
    }
    return {
      name,
      outcome: errors.validation + errors.invalidation === 0 ? "passing" : "failing",
      reason: undefined,
      validationErrors: errors.validation,
      invalidationErrors: errors.invalidation,
      reordered,
      firstMaskUs,
      maskUs,
    };
  }

  /**
   * Whether the mask before each token of a text allows it, and the text may end after the last
   * one.
   */
  #accepts(grammar: TokenGrammar, text: string, maskUs: number[]): boolean {
    let state = grammar.start;
    for (const token of this.#vocabulary.tokenize(text, "literal")) {
      const began = performance.now();
      const mask = grammar.maskOf(state);
      maskUs.push((performance.now() - began) * 1_000);
      const isAllowed = allows(mask, token);
      const next = grammar.advanceByToken(state, token);
      if (isAllowed !== (next !== undefined)) {
        throw new Error(`the mask and the matcher disagree about token ${token} of ${text}`);
      }
      if (next === undefined) return false;
      state = next;
    }
    return grammar.canEnd(state);
  }
}

function reasonFor(error: unknown): string {
  if (error instanceof UnsupportedGrammar) return `${error.path.join("/")}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
