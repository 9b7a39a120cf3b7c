import type { ConversationObject } from "../../api/responses/response-schema.js";

/** Conversations below a heading. */
export interface ConversationGroup {
  readonly title: string;
  readonly conversations: readonly ConversationObject[];
}

/** Metadata value of pinned conversations. */
export const PINNED = "true";

export function isPinned({ metadata }: Pick<ConversationObject, "metadata">): boolean {
  return metadata.pinned === PINNED;
}

const monthFormat = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });

/**
 * Groups conversations: pinned ones, then by the day and month of the last change.
 * @param conversations last changed first
 * @param now milliseconds since 1970
 */
export function groupConversations(
  conversations: readonly ConversationObject[],
  now: number,
): readonly ConversationGroup[] {
  const periods = listPeriods(now);
  const groups = new Map<string, ConversationObject[]>();
  const add = (title: string, conversation: ConversationObject) => {
    const group = groups.get(title);
    if (group === undefined) groups.set(title, [conversation]);
    else group.push(conversation);
  };
  for (const one of conversations) if (isPinned(one)) add("Pinned", one);
  for (const one of conversations) if (!isPinned(one)) add(findTitle(one, periods), one);
  return Array.from(groups, ([title, members]) => ({ title, conversations: members }));
}

interface Period {
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly start: number;
}

/** The periods before which conversations are grouped by month. */
function listPeriods(now: number): readonly Period[] {
  const day = new Date(now);
  // Days are not always 24 hours long.
  const startOfDay = (daysAgo: number) =>
    new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo).getTime();
  return [
    { title: "Today", start: startOfDay(0) },
    { title: "Yesterday", start: startOfDay(1) },
    { title: "Previous 7 days", start: startOfDay(7) },
    { title: "Previous 30 days", start: startOfDay(30) },
  ];
}

function findTitle({ updated_at }: ConversationObject, periods: readonly Period[]): string {
  const time = updated_at * 1000;
  return periods.find(({ start }) => time >= start)?.title ?? monthFormat.format(time);
}
