import type { ConversationObject } from "../../api/responses/response-schema.js";
import { IconButton } from "../parts/icon.js";
import { goTo } from "../route.js";
import { findAlternatives } from "./branches.js";
import { familyOf } from "./conversations.js";

interface BranchSwitchProps {
  /** Id of the preceding item; empty: none. */
  readonly after: string;
  readonly conversation: ConversationObject;
}

/** Switches between the continuations of a conversation; renders nothing if there is only one. */
export function BranchSwitch({ after, conversation }: BranchSwitchProps) {
  const alternatives = findAlternatives(after, conversation.id, familyOf(conversation));
  if (alternatives === undefined) return null;
  const { ids, shown } = alternatives;
  const show = (index: number) => goTo({ view: "chat", id: ids[index] });
  return (
    <span class="branch-switch">
      <IconButton
        icon="left"
        label="Previous version"
        disabled={shown === 0}
        onClick={() => show(shown - 1)}
      />
      <span>
        {shown + 1} of {ids.length}
      </span>
      <IconButton
        icon="right"
        label="Next version"
        disabled={shown === ids.length - 1}
        onClick={() => show(shown + 1)}
      />
    </span>
  );
}
