import { GROUP_PREFIX } from "../config/keys/key-line.js";
import type { ConfiguredKeys } from "../config/keys/read-api-keys.js";
import { flagOf } from "../config/settings.js";
import { budgetRows } from "../core/api-keys.js";
import { StartupError } from "../core/startup-error.js";
import { NO_USAGE, type RecentUsage, type ServedUsage, type UsageReader } from "../core/usage.js";
import { type BudgetHolder, BudgetLedger } from "../http/keys/budget-ledger.js";

type KeptUsage = RecentUsage & UsageReader;

/** Attribute of a key that the server cannot apply. */
export interface AttributeProblem {
  /** `group`, the name in the key file. */
  readonly attribute: string;
  /** Expected value, and the actual one. */
  readonly reason: string;
}

/** Budgets of the keys and groups of a running server. */
export class ServedBudgets {
  readonly ledger: BudgetLedger;
  #configured: ConfiguredKeys;
  #usage: ServedUsage<KeptUsage> | undefined;

  constructor(configured: ConfiguredKeys) {
    this.#configured = configured;
    // Without stored usage there are no budgets.
    const noUsage: RecentUsage = { sumSince: () => NO_USAGE };
    this.ledger = new BudgetLedger({
      usage: () => (this.#usage?.is === "kept" ? this.#usage.usage : noUsage),
    });
    this.ledger.setGroups(configured.groups);
  }

  /** Keys and groups of the configuration. */
  get configured(): ConfiguredKeys {
    return this.#configured;
  }

  /**
   * Counts from the stored usage on. Call before the first request.
   * @throws {StartupError} there are budgets, and no usage is stored
   */
  countFrom(usage: ServedUsage<KeptUsage>): void {
    this.#usage = usage;
    this.#expectCounted(this.#configured);
  }

  /** @throws {StartupError} as {@link countFrom}; the groups then stay as they are */
  replace(configured: ConfiguredKeys): void {
    this.#expectCounted(configured);
    this.#configured = configured;
    this.ledger.setGroups(configured.groups);
  }

  /**
   * Finds a group that the key file does not define, or a budget without stored usage. To be called
   * after {@link countFrom}.
   * @param groups those of the key file @default the present ones
   */
  findProblem(
    { group, limits }: Pick<BudgetHolder, "group" | "limits">,
    { groups }: Pick<ConfiguredKeys, "groups"> = this.#configured,
  ): AttributeProblem | undefined {
    if (group !== undefined && !groups.some(({ name }) => name === group)) {
      const expected = `expected a group of the key file (a line ${GROUP_PREFIX}NAME with its budgets)`;
      return { attribute: "group", reason: `${expected}, got ${group}` };
    }
    const budget = budgetRows.find(({ field }) => limits[field] !== undefined);
    const reason = this.#uncountedReason;
    if (budget === undefined || reason === undefined) return undefined;
    return { attribute: `${budget.unit}-per-${budget.period}`, reason };
  }

  /** Reason why no budget can be counted; `undefined`: they can be. */
  get #uncountedReason(): string | undefined {
    if (this.#usage?.is !== "disabled") return undefined;
    const { because } = this.#usage;
    return `a budget needs stored usage, and there is none: ${because}; set ${flagOf("usage")} to a folder`;
  }

  #expectCounted({ budgetAt }: ConfiguredKeys): void {
    const reason = this.#uncountedReason;
    if (budgetAt === undefined || reason === undefined) return;
    throw new StartupError(`${budgetAt}: ${reason}`);
  }
}
