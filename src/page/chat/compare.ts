import { signal } from "@preact/signals";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { buildBranchMetadata } from "./branches.js";
import { createConversation, toReference } from "./conversations.js";
import { answer } from "./thread.js";

/** An answer with a second column for another one. */
export interface Comparison {
  /** Id of the last item of the answer that is compared. */
  readonly answerId: string;
  /** Branch with the other answer; absent: not requested yet. */
  readonly branch?: ConversationObject;
}

/** The comparison that is shown. */
export const comparison = signal<Comparison | undefined>(undefined);

/** Settings of another answer. */
export interface Variant {
  readonly model: string;
  /** Absent: as in the conversation. */
  readonly temperature?: number | undefined;
}

/**
 * Generates another answer to the same question, in a branch that is not shown as the conversation.
 * The variant is of this answer only: branches share the settings of the conversation.
 * @param before items before the answer
 * @throws {ApiError} if no branch was created
 */
export async function generateVariant(
  from: ConversationObject,
  before: readonly StoredItem[],
  { model, temperature }: Variant,
): Promise<ConversationObject> {
  const metadata = buildBranchMetadata(from, before.at(-1)?.id ?? "");
  const branch = await createConversation(metadata, before.map(toReference));
  void answer(branch, { model, ...(temperature !== undefined && { temperature }) });
  return branch;
}
