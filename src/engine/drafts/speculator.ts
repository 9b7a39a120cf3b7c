import { PrefillBudget } from "../costs/prefill-budget.js";
import { StepCosts, updateAverage } from "../costs/step-costs.js";
import { TILE_TOKENS_WITH_DECODING } from "../costs/tile-costs.js";
import type { DraftedText, TokenContext } from "../native/token-context.js";
import { DraftAcceptance } from "./draft-acceptance.js";
import { computeIdealLength } from "./draft-length.js";
import {
  AddedCosts,
  type AddedTokens,
  addedTokensOf,
  type DraftCandidate,
  type DraftPlan,
  type DraftPlanOptions,
  type LookupProposal,
  planDrafts,
  planLookups,
} from "./draft-plan.js";
import type { Drafter } from "./drafter.js";
import type { Draft, DraftOutcome, GenerationDrafts, VerifiedSource } from "./generation-drafts.js";

export interface SpeculatorOptions {
  /** Batch size of the main model, in tokens. */
  readonly batchSize: number;
  /** Maximum number of rows of logits that a batch of the main model may request. */
  readonly maxOutputs: number;
  /** How the main model removes rejected draft tokens. */
  readonly retraction: TokenContext["retraction"];
  /** Proposes tokens if prompt lookup has none. */
  readonly drafter?: Drafter | undefined;
  /** Called when the drafter has failed; it is not used again. */
  readonly onDrafterFailed?: (error: unknown) => void;
  /** Target inter-token latency while prompts are evaluated, in milliseconds. */
  readonly itlTargetMs: number;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Properties of a decoding generation that speculation depends on. */
export interface SpeculatedGeneration {
  readonly lease: { readonly sequenceId: number };
  readonly drafts: GenerationDrafts;
  /** Number of tokens that the generation evaluates in this step without a draft; at least 1. */
  readonly uncomputedTokens: number;
  /** Maximum number of tokens that may be proposed for the generation. */
  readonly maxDraftTokens: number;
  /** Returns the forced next tokens, at most `maxTokens`. */
  forcedTokens(maxTokens: number): readonly number[];
}

/** Fields of a step report that speculation depends on. */
export interface SpeculatedStep {
  readonly decodeTokens: number;
  readonly redoneTokens: number;
  readonly draftTokens: number;
  readonly prefillTokens: number;
  readonly stateMs: number;
  readonly draftMs: number;
  readonly retractionMs: number;
  readonly totalMs: number;
}

type Candidate = DraftCandidate & DraftedText;

/** Drafts of the drafter, all of one length. */
interface ModelDrafts {
  readonly length: number;
  readonly bySequence: ReadonlyMap<number, readonly number[]>;
}

/** Number of verified draft tokens, by source. */
export type DraftCounters = Readonly<
  Record<VerifiedSource, Readonly<{ proposed: number; accepted: number }>>
>;

/** Maximum number of forced tokens per step; longer forced texts take several steps. */
const MAX_FORCED_TOKENS = 32;
/** Number of missing tokens after a fully accepted draft: its last token, and the token sampled after it. */
const MISSING_TOKENS_AFTER_DRAFT = 2;

/**
 * Proposes drafts for decoding generations if verifying them is expected to pay off: first from the client's
 * prediction and prompt lookup, which cost nothing, then from the drafter, which is a draft model or uses the model's
 * hidden states. Learns the costs of steps, of the drafter's passes and of its catching up.
 */
export class Speculator {
  readonly #options: SpeculatorOptions;
  readonly #costs = new StepCosts();
  readonly #addedCosts = new AddedCosts();
  /** Cost of one pass of the drafter, by the number of sequences. */
  readonly #draftCosts = new StepCosts();
  /** Tokens that the drafter may catch up on within a step. */
  readonly #catchUpBudget: PrefillBudget;
  /** Acceptance over all generations: the prior for a new text. */
  readonly #acceptance = new DraftAcceptance();
  /** Average ideal length of lookup drafts; the first draft length in a new text. */
  #usualLookupTokens = 0;
  /** Cost of marking and rewinding in a step, by the number of drafts. */
  readonly #markCosts = new StepCosts();
  /** Number of drafts in the step in progress. */
  #drafts = 0;
  /** Kind of tokens that drafts add to the step in progress. */
  #addedTokens: AddedTokens = "verified";
  #drafter: Drafter | undefined;
  readonly #counters = {
    prediction: { proposed: 0, accepted: 0 },
    lookup: { proposed: 0, accepted: 0 },
    model: { proposed: 0, accepted: 0 },
  };

  constructor(options: SpeculatorOptions) {
    const { drafter, itlTargetMs } = options;
    this.#options = options;
    this.#drafter = drafter;
    const batchSize = drafter?.batchSize ?? 0;
    this.#catchUpBudget = new PrefillBudget(itlTargetMs, batchSize, TILE_TOKENS_WITH_DECODING);
  }

  get counters(): DraftCounters {
    return structuredClone(this.#counters);
  }

  /** Returns the drafts to verify, by sequence, in a step in which all these generations decode. */
  async draft(generations: readonly SpeculatedGeneration[]): Promise<ReadonlyMap<number, Draft>> {
    const decoding = generations.length;
    const uncomputedTokens = generations.reduce((sum, one) => sum + one.uncomputedTokens, 0);
    const { batchSize, maxOutputs } = this.#options;
    // Each draft token has a row of logits, and each generation one more.
    const maxDraftTokens = Math.min(batchSize - uncomputedTokens, maxOutputs - decoding);
    const rewinding = this.#rewinding;
    const step = { decoding, maxDraftTokens, costs: this.#costs, rewinding };
    const lookups = planLookups({
      decoding,
      maxDraftTokens,
      addedCosts: this.#addedCosts,
      proposals: this.#lookUp(generations),
      redoneTokens: uncomputedTokens - decoding,
      rewinding,
    });
    const lookedUpIds = new Set(lookups.map(({ sequenceId }) => sequenceId));
    const others = generations.filter(({ lease }) => !lookedUpIds.has(lease.sequenceId));
    const modelDrafts = await this.#draftByModel(others, { ...step, lookups }).catch((error) => {
      this.#drafter = undefined;
      this.#options.onDrafterFailed?.(error);
      return undefined;
    });
    const drafts = mergeDrafts(lookups, modelDrafts);
    this.#drafts = drafts.size;
    this.#addedTokens = addedTokensOf([...drafts.values()]);
    return drafts;
  }

  /** Learns how many tokens of a draft were accepted. */
  learnOutcome({ drafts }: Pick<SpeculatedGeneration, "drafts">, outcome: DraftOutcome): void {
    drafts.learn(outcome);
    const sourceCounters = this.#counters[outcome.source];
    sourceCounters.proposed += outcome.proposed;
    sourceCounters.accepted += outcome.accepted;
    if (outcome.source === "model") this.#acceptance.learn(outcome);
    if (outcome.source === "lookup") {
      this.#usualLookupTokens = updateAverage(this.#usualLookupTokens, computeIdealLength(outcome));
    }
  }

  /** Learns the cost of the step that followed {@link draft}. */
  learn(step: SpeculatedStep): void {
    const { decodeTokens, redoneTokens, draftTokens, prefillTokens } = step;
    const { stateMs, draftMs, retractionMs, totalMs } = step;
    if (prefillTokens > 0 || decodeTokens === 0) return;
    const stepMs = totalMs - draftMs - stateMs - retractionMs;
    const plainTokens = decodeTokens + redoneTokens;
    this.#costs.learn(plainTokens + draftTokens, stepMs);
    if (draftTokens > 0) {
      this.#addedCosts.learnAdded(plainTokens, this.#addedTokens, draftTokens, stepMs);
      this.#markCosts.learn(this.#drafts, retractionMs);
    } else {
      this.#addedCosts.learnPlain(plainTokens, stepMs);
      this.#markCosts.skip();
    }
    this.#catchUpBudget.learn({ decodeTokens, prefillTokens: 0, stepMs });
  }

  get #rewinding() {
    if (this.#options.retraction === "truncate") return undefined;
    return { costs: this.#costs, markCosts: this.#markCosts };
  }

  #lookUp(generations: readonly SpeculatedGeneration[]): LookupProposal[] {
    return generations.map((generation): LookupProposal => {
      const { lease, drafts, maxDraftTokens } = generation;
      const { sequenceId } = lease;
      const forcedDraft = generation.forcedTokens(Math.min(maxDraftTokens, MAX_FORCED_TOKENS));
      if (forcedDraft.length > 0) {
        return {
          sequenceId,
          source: "grammar",
          draft: forcedDraft,
          acceptanceRate: 1,
          rejectionRate: 0,
        };
      }
      const predictedDraft = drafts.predict(maxDraftTokens);
      const source = predictedDraft.length > 0 ? "prediction" : "lookup";
      return {
        sequenceId,
        source,
        draft:
          source === "prediction"
            ? predictedDraft
            : drafts.lookUp(maxDraftTokens, this.#usualLookupTokens),
        acceptanceRate: drafts.computeAcceptanceRate(source),
        rejectionRate: drafts.computeRejectionRate(source),
      };
    });
  }

  async #draftByModel(
    generations: readonly SpeculatedGeneration[],
    step: Omit<DraftPlanOptions<Candidate>, "candidates" | "draftCosts">,
  ): Promise<ModelDrafts | undefined> {
    const drafter = this.#drafter;
    if (drafter === undefined) return undefined;
    const planFor = (candidates: readonly Candidate[]) =>
      planDrafts({ ...step, candidates, draftCosts: this.#draftCosts });
    const initialPlan = planFor(
      selectCandidates(drafter, generations, this.#acceptance.estimateProbability()),
    );
    const plan =
      initialPlan && (await this.#dropStragglers(drafter, initialPlan, planFor, step.decoding));
    const plannedIds = new Set(plan?.candidates.map(({ sequenceId }) => sequenceId));
    for (const { lease, drafts } of generations) {
      if (!plannedIds.has(lease.sequenceId)) drafts.skipModel();
    }
    if (plan === undefined) {
      this.#acceptance.skip();
      this.#draftCosts.skip();
      return undefined;
    }
    const { candidates, length } = plan;
    const [bySequence, durationMs] = await this.#measureTime(() =>
      drafter.propose(candidates, length),
    );
    this.#draftCosts.learn(candidates.length, durationMs / length);
    return { length, bySequence };
  }

  /**
   * Lets the drafter catch up on texts of the plan; drops the texts on which it is still behind.
   */
  async #dropStragglers(
    drafter: Drafter,
    plan: DraftPlan<Candidate>,
    planFor: (candidates: readonly Candidate[]) => DraftPlan<Candidate> | undefined,
    decoding: number,
  ): Promise<DraftPlan<Candidate> | undefined> {
    const isBehind = (text: Candidate) =>
      drafter.countMissingTokens(text) > MISSING_TOKENS_AFTER_DRAFT;
    const stragglers = plan.candidates.filter(isBehind);
    if (stragglers.length === 0) return plan;
    const maxTokens = this.#catchUpBudget.computeTokens(decoding);
    const [prefillTokens, stepMs] = await this.#measureTime(() =>
      drafter.catchUp(stragglers, maxTokens),
    );
    if (prefillTokens > 0) {
      this.#catchUpBudget.learn({ decodeTokens: 0, prefillTokens, stepMs });
    }
    return planFor(plan.candidates.filter((text) => !isBehind(text)));
  }

  async #measureTime<Result>(work: () => Promise<Result>): Promise<[Result, durationMs: number]> {
    const { now } = this.#options;
    const beganMs = now();
    return [await work(), now() - beganMs];
  }
}

/** Selects the generations that the drafter can follow, as many as its batch has room for. */
function selectCandidates(
  drafter: Drafter,
  generations: readonly SpeculatedGeneration[],
  priorProbability: number,
): Candidate[] {
  return generations
    .map(({ lease, drafts, maxDraftTokens }) => ({
      sequenceId: lease.sequenceId,
      tokens: drafts.tokens,
      acceptanceProbability: drafts.estimateAcceptance(priorProbability),
      maxTokens: Math.min(
        maxDraftTokens,
        drafter.maxLength,
        drafter.contextSize - drafts.tokens.length,
      ),
    }))
    .filter(({ maxTokens }) => maxTokens > 0)
    .slice(0, Math.floor(drafter.batchSize / MISSING_TOKENS_AFTER_DRAFT));
}

/** Merges both sources; lookups are truncated to the length of the drafter's, if any. */
function mergeDrafts(
  lookups: readonly LookupProposal[],
  modelDrafts: ModelDrafts | undefined,
): Map<number, Draft> {
  const drafts = new Map<number, Draft>();
  for (const { sequenceId, source, draft } of lookups) {
    const tokens = draft.slice(0, modelDrafts?.length);
    if (tokens.length < (modelDrafts?.length ?? 0)) continue;
    drafts.set(sequenceId, { source, tokens });
  }
  for (const [sequenceId, tokens] of modelDrafts?.bySequence ?? []) {
    if (tokens.length > 0) drafts.set(sequenceId, { source: "model", tokens });
  }
  return drafts;
}
