import type { ComponentChildren } from "preact";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { Markdown } from "../markdown/markdown.js";
import { models } from "../models/model-list.js";
import { CopyButton } from "../parts/copy-button.js";
import { IconButton } from "../parts/icon.js";
import { listStatistics } from "./answer-statistics.js";
import type { LiveAnswer } from "./live-answer.js";
import { ToolCallView } from "./tool-call-view.js";
import {
  type AnswerItem,
  isCall,
  outputOfCall,
  recordOf,
  textOfAnswer,
  textOfMessage,
  textOfReasoning,
} from "./turns.js";

interface AnswerViewProps {
  readonly conversation: ConversationObject;
  readonly items: readonly AnswerItem[];
  readonly state: LiveAnswer["state"];
  /** Switch to alternative answers. */
  readonly forks?: ComponentChildren;
  /** Regenerates the answer. Absent: currently impossible. */
  readonly onRetry?: (() => void) | undefined;
}

/** An answer of a model, complete or in progress. */
export function AnswerView({ conversation, items, state, forks, onRetry }: AnswerViewProps) {
  const record = recordOf(items);
  const text = textOfAnswer({ items });
  const isEnded = state === "ended";
  const context = models.value.find(({ id }) => id === record?.model)?.max_model_len;
  return (
    <article class="turn answer" aria-busy={!isEnded}>
      <h2 class="visually-hidden">{record?.model ?? "Answer"}</h2>
      {items.map((item, index) => (
        <ItemView
          key={item.id}
          conversation={conversation}
          item={item}
          items={items}
          isStreaming={!isEnded && index === items.length - 1}
        />
      ))}
      {!isEnded && items.length === 0 && (
        <p class="waiting">
          <span class="visually-hidden">Generating…</span>
          <span class="dots" aria-hidden="true" />
        </p>
      )}
      {isEnded && record?.error && <p class="hint">{record.error}</p>}
      {isEnded && (
        <div class="turn-bar">
          {forks}
          {text !== "" && <CopyButton text={text} label="Copy answer" />}
          {onRetry !== undefined && (
            <IconButton icon="retry" label="Regenerate" onClick={onRetry} />
          )}
          {record !== undefined && (
            <span class="statistics">{listStatistics(record, context).join(" · ")}</span>
          )}
        </div>
      )}
    </article>
  );
}

interface ItemViewProps {
  readonly conversation: ConversationObject;
  readonly item: AnswerItem;
  readonly items: readonly AnswerItem[];
  /** Whether more of the answer will arrive. */
  readonly isStreaming: boolean;
}

function ItemView({ conversation, item, items, isStreaming }: ItemViewProps) {
  switch (item.type) {
    case "message":
      return <Markdown text={textOfMessage(item)} />;
    case "reasoning":
      return (
        <details class="reasoning">
          <summary>{isStreaming ? "Thinking…" : "Thoughts"}</summary>
          <Markdown text={textOfReasoning(item)} />
        </details>
      );
    default:
      // The output of a call is shown with the call.
      return isCall(item) ? (
        <ToolCallView
          conversation={conversation}
          call={item}
          output={outputOfCall(items, item)}
          isStreaming={isStreaming}
        />
      ) : null;
  }
}
