import { addUsage, type UsageEntry, type UsageGroup, type UsageQuery } from "../core/usage.js";
import { type BucketWidth, startOfBucket } from "../core/usage-buckets.js";

/** Usage of a subject in one hour. */
export interface HourOfUsage extends UsageEntry {
  /** Start of the hour, in milliseconds since the Unix epoch. */
  readonly hourMs: number;
}

/** Selects the hours of a query, with the properties that it groups by. */
export function selectUsage(
  hours: Iterable<HourOfUsage>,
  { fromMs, toMs, key, groupBy }: UsageQuery,
): readonly UsageGroup[] {
  const groups: UsageGroup[] = [];
  for (const { hourMs, key: ofKey, model, adapter, api, class: kind, ...totals } of hours) {
    if (hourMs < fromMs || hourMs >= toMs || (key ?? ofKey) !== ofKey) continue;
    const all = { key: ofKey, model, adapter, api, class: kind };
    const subject = Object.fromEntries(groupBy.map((dimension) => [dimension, all[dimension]]));
    groups.push({ bucketMs: hourMs, subject, ...totals });
  }
  return groups;
}

/**
 * Sums groups with the same properties in the same bucket.
 * @param groups of hours or longer buckets
 */
export function mergeGroups(
  groups: Iterable<UsageGroup>,
  width: BucketWidth,
): readonly UsageGroup[] {
  const merged = new Map<string, UsageGroup>();
  for (const group of groups) {
    const bucketMs = startOfBucket(group.bucketMs, width);
    const { subject } = group;
    const id = JSON.stringify([bucketMs, ...Object.values(subject)]);
    const known = merged.get(id);
    merged.set(id, { ...(known ? addUsage(known, group) : group), bucketMs, subject });
  }
  return [...merged.values()].toSorted(compareGroups);
}

function compareGroups(one: UsageGroup, other: UsageGroup): number {
  if (one.bucketMs !== other.bucketMs) return one.bucketMs - other.bucketMs;
  const [first, second] = [one, other].map(({ subject }) => Object.values(subject).join("\u0000"));
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
