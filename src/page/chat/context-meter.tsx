import { useEffect } from "preact/hooks";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { announce } from "../parts/announcer.js";
import {
  type ContextUse,
  estimateContextUse,
  formatContextUse,
  NEARLY_FULL,
} from "./context-use.js";
import { currentModel } from "./model-picker.js";
import { thread } from "./thread.js";

interface ContextMeterProps {
  /** Absent: the question starts a conversation. */
  readonly conversation: ConversationObject | undefined;
  /** Text of the question. */
  readonly draft: string;
}

const WARNINGS = {
  normal: undefined,
  "nearly full": "The context is nearly full.",
  "too full": "The message does not fit into the context.",
} as const;

/** Tokens used of the model's context, while a question is typed. Hidden while they are unknown. */
export function ContextMeter({ conversation, draft }: ContextMeterProps) {
  const shown = thread.value;
  const isShown = shown.state === "open" && shown.conversation.id === conversation?.id;
  const items = isShown ? shown.items : [];
  const use = tryToEstimate(items, draft);
  const warning = use && WARNINGS[use.level];
  useEffect(() => {
    if (warning !== undefined) announce(warning);
  }, [warning]);
  if (use === undefined) return null;
  const { tokens, contextTokens, level } = use;
  return (
    <p class="context-meter hint" data-level={level.replace(" ", "-")}>
      <meter
        aria-label="Context used"
        min={0}
        max={contextTokens}
        optimum={0}
        high={NEARLY_FULL * contextTokens}
        value={Math.min(tokens, contextTokens)}
      />
      <span>
        {formatContextUse(use)}
        {warning !== undefined && ` · ${warning}`}
      </span>
    </p>
  );
}

/** Items of an unexpected form are reported by the thread; the meter is hidden. */
function tryToEstimate(items: readonly StoredItem[], draft: string): ContextUse | undefined {
  try {
    return estimateContextUse(items, draft, currentModel()?.max_model_len);
  } catch {
    return undefined;
  }
}
