import type { ConfiguredKeys } from "../config/keys/read-api-keys.js";
import { flagOf } from "../config/settings.js";
import { StartupError } from "../core/startup-error.js";
import { NO_USAGE, type RecentUsage, type ServedUsage, type UsageReader } from "../core/usage.js";
import { BudgetLedger } from "../http/keys/budget-ledger.js";

type KeptUsage = RecentUsage & UsageReader;

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

  #expectCounted({ budgetAt }: ConfiguredKeys): void {
    if (budgetAt === undefined || this.#usage?.is !== "disabled") return;
    const { because } = this.#usage;
    throw new StartupError(
      `${budgetAt}: a budget needs stored usage, and there is none: ${because}; set ${flagOf("usage")} to a folder`,
    );
  }
}
