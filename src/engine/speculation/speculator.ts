import { PrefillBudget } from "../costs/prefill-budget.js";
import { runningAverage } from "../costs/running-average.js";
import { StepCosts } from "../costs/step-costs.js";
import type { RunningGeneration } from "../step/running-generation.js";
import { DraftAcceptance } from "./draft-acceptance.js";
import { worthProposing } from "./draft-length.js";
import type { DraftModel, FollowedText } from "./draft-model.js";
import {
  type DraftCandidate,
  type DraftPlan,
  type DraftPlanOptions,
  planDrafts,
} from "./draft-plan.js";
import type { Draft, DraftOutcome } from "./generation-drafts.js";
import { chooseDrafts, type Proposal } from "./lookup-plan.js";

export interface SpeculatorOptions {
  /** Tokens that one batch of the main model takes. */
  readonly batchSize: number;
  /** Proposes where prompt lookup has nothing. */
  readonly draftModel?: DraftModel | undefined;
  /** Told when the draft model has failed; it is not used again. */
  readonly onDraftModelLost?: (error: unknown) => void;
  /** Longest time between two tokens of a generation that is aimed at, in milliseconds. */
  readonly itlTargetMs: number;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** What speculation needs to know of a step that is over. */
export interface SpeculatedStep {
  readonly decodeTokens: number;
  readonly draftTokens: number;
  readonly prefillTokens: number;
  readonly draftMs: number;
  readonly totalMs: number;
}

type Decoding = Pick<RunningGeneration, "lease" | "drafts" | "draftRoom">;
type Candidate = DraftCandidate & FollowedText;

/** Drafts of the draft model, all of one length. */
interface ModelDrafts {
  readonly length: number;
  readonly bySequence: ReadonlyMap<number, readonly number[]>;
}

/** A draft that was right as a whole leaves its last token missing, and the one that followed. */
const MISSING_AFTER_A_DRAFT = 2;

/**
 * Finds tokens that decoding generations may say next, where verifying them is expected to pay:
 * prompt lookup first, which costs nothing, then the draft model. It learns what steps, passes of
 * the draft model and its catching up cost.
 */
export class Speculator {
  readonly #options: SpeculatorOptions;
  readonly #costs = new StepCosts();
  /** Of one pass of the draft model, by the number of sequences. */
  readonly #draftCosts = new StepCosts();
  /** Tokens of texts that the draft model may take in within a step. */
  readonly #catchUpBudget: PrefillBudget;
  /** How often the draft model is right in general: what is expected of it in a new text. */
  readonly #acceptance = new DraftAcceptance();
  /** Tokens that prompt lookup had better proposed lately: where it begins in a new text. */
  #usualLookup = 0;
  #draftModel: DraftModel | undefined;

  constructor(options: SpeculatorOptions) {
    const { draftModel, itlTargetMs } = options;
    this.#options = options;
    this.#draftModel = draftModel;
    this.#catchUpBudget = new PrefillBudget(itlTargetMs, draftModel?.batchSize ?? 0);
  }

  /** Drafts to verify in a step in which all these generations decode, by sequence. */
  async draft(generations: readonly Decoding[]): Promise<ReadonlyMap<number, Draft>> {
    const decoding = generations.length;
    const room = this.#options.batchSize - decoding;
    const step = { decoding, room, costs: this.#costs };
    const lookups = chooseDrafts({ ...step, proposals: this.#lookUp(generations) });
    const lookedUp = new Set(lookups.map(({ sequenceId }) => sequenceId));
    const others = generations.filter(({ lease }) => !lookedUp.has(lease.sequenceId));
    const drafted = await this.#draftByModel(others, { ...step, lookups }).catch((error) => {
      this.#draftModel = undefined;
      this.#options.onDraftModelLost?.(error);
      return undefined;
    });
    return combine(lookups, drafted);
  }

  /** Learns how much of a draft turned out right. */
  verified({ drafts }: Pick<Decoding, "drafts">, outcome: DraftOutcome): void {
    drafts.learn(outcome);
    if (outcome.source === "model") this.#acceptance.learn(outcome);
    else this.#usualLookup = runningAverage(this.#usualLookup, worthProposing(outcome));
  }

  /** Learns what the step cost for which {@link draft} was asked. */
  learn({ decodeTokens, draftTokens, prefillTokens, draftMs, totalMs }: SpeculatedStep): void {
    if (prefillTokens > 0 || decodeTokens === 0) return;
    const milliseconds = totalMs - draftMs;
    this.#costs.learn(decodeTokens + draftTokens, milliseconds);
    this.#catchUpBudget.learn({ decodeTokens, prefillTokens: 0, milliseconds });
  }

  #lookUp(generations: readonly Decoding[]): Proposal[] {
    return generations.map(({ lease, drafts, draftRoom }) => ({
      sequenceId: lease.sequenceId,
      draft: drafts.lookUp(draftRoom, this.#usualLookup),
      hitRate: drafts.hitRate,
    }));
  }

  async #draftByModel(
    generations: readonly Decoding[],
    step: Omit<DraftPlanOptions<Candidate>, "candidates" | "draftCosts">,
  ): Promise<ModelDrafts | undefined> {
    const model = this.#draftModel;
    if (model === undefined) return undefined;
    const planFor = (candidates: readonly Candidate[]) =>
      planDrafts({ ...step, candidates, draftCosts: this.#draftCosts });
    const wanted = planFor(candidatesFor(model, generations, this.#acceptance.chance()));
    const plan = wanted && (await this.#withoutStragglers(model, wanted, planFor, step.decoding));
    const planned = new Set(plan?.candidates.map(({ sequenceId }) => sequenceId));
    for (const { lease, drafts } of generations) {
      if (!planned.has(lease.sequenceId)) drafts.skipModel();
    }
    if (plan === undefined) {
      this.#acceptance.skip();
      this.#draftCosts.skip();
      return undefined;
    }
    const { candidates, length } = plan;
    const [bySequence, milliseconds] = await this.#timed(() => model.propose(candidates, length));
    this.#draftCosts.learn(candidates.length, milliseconds / length);
    return { length, bySequence };
  }

  /** Lets those of a plan catch up that are behind their texts; who is not there yet stays out. */
  async #withoutStragglers(
    model: DraftModel,
    plan: DraftPlan<Candidate>,
    planFor: (candidates: readonly Candidate[]) => DraftPlan<Candidate> | undefined,
    decoding: number,
  ): Promise<DraftPlan<Candidate> | undefined> {
    const isBehind = (text: Candidate) => model.missing(text) > MISSING_AFTER_A_DRAFT;
    const behind = plan.candidates.filter(isBehind);
    if (behind.length === 0) return plan;
    const most = this.#catchUpBudget.tokens(decoding);
    const [prefillTokens, milliseconds] = await this.#timed(() => model.catchUp(behind, most));
    if (prefillTokens > 0) {
      this.#catchUpBudget.learn({ decodeTokens: 0, prefillTokens, milliseconds });
    }
    return planFor(plan.candidates.filter((text) => !isBehind(text)));
  }

  async #timed<Result>(work: () => Promise<Result>): Promise<[Result, milliseconds: number]> {
    const { now } = this.#options;
    const begun = now();
    return [await work(), now() - begun];
  }
}

/** Whom the draft model can follow; for all of them it has room in a batch. */
function candidatesFor(
  model: DraftModel,
  generations: readonly Decoding[],
  assumedChance: number,
): Candidate[] {
  return generations
    .map(({ lease, drafts, draftRoom }) => ({
      sequenceId: lease.sequenceId,
      tokens: drafts.tokens,
      chance: drafts.chance(assumedChance),
      most: Math.min(draftRoom, model.contextSize - drafts.tokens.length),
    }))
    .filter(({ most }) => most > 0)
    .slice(0, Math.floor(model.batchSize / MISSING_AFTER_A_DRAFT));
}

/** Lookups keep the length of the model's drafts, if there are any. */
function combine(
  lookups: readonly Proposal[],
  drafted: ModelDrafts | undefined,
): Map<number, Draft> {
  const drafts = new Map<number, Draft>();
  for (const { sequenceId, draft } of lookups) {
    const tokens = draft.slice(0, drafted?.length);
    if (tokens.length < (drafted?.length ?? 0)) continue;
    drafts.set(sequenceId, { source: "lookup", tokens });
  }
  for (const [sequenceId, tokens] of drafted?.bySequence ?? []) {
    drafts.set(sequenceId, { source: "model", tokens });
  }
  return drafts;
}
