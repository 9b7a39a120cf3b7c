import { useState } from "preact/hooks";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { Icon, IconButton } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { comparison } from "./compare.js";

const RequestDialog = lazy(async () => (await import("./request-dialog.js")).RequestDialog);

interface AnswerToolsProps {
  readonly conversation: ConversationObject;
  /** Returns the items before the answer. */
  readonly before: () => readonly StoredItem[];
  /** Id of the answer's last item. */
  readonly answerId: string;
  /** Model that answered; absent: unknown. */
  readonly model: string | undefined;
  readonly canCompare: boolean;
  /** Absent: the answer has no token probabilities. */
  readonly tokens: { readonly areShown: boolean; readonly toggle: () => void } | undefined;
}

/** Actions at an answer that do not change it. */
export function AnswerTools({
  conversation,
  before,
  answerId,
  model,
  canCompare,
  tokens,
}: AnswerToolsProps) {
  const [isRequestOpen, setRequestOpen] = useState(false);
  return (
    <>
      {canCompare && (
        <IconButton
          icon="compare"
          label="Compare"
          onClick={() => {
            comparison.value = { answerId };
          }}
        />
      )}
      <IconButton icon="code" label="Show request" onClick={() => setRequestOpen(true)} />
      {tokens !== undefined && (
        <button
          type="button"
          class="icon-button"
          aria-label="Token probabilities"
          title="Token probabilities"
          aria-pressed={tokens.areShown}
          onClick={tokens.toggle}
        >
          <Icon name="probabilities" />
        </button>
      )}
      {isRequestOpen && (
        <RequestDialog
          conversation={conversation}
          before={before()}
          model={model}
          onClose={() => setRequestOpen(false)}
        />
      )}
    </>
  );
}
