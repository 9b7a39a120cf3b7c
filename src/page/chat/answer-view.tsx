import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { Markdown } from "../markdown/markdown.js";
import { models } from "../models/model-list.js";
import { CopyButton } from "../parts/copy-button.js";
import { IconButton } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { readKept } from "../tab-storage.js";
import { editAnswer } from "./answer-actions.js";
import { describeEnd } from "./answer-end.js";
import { AnswerEndView } from "./answer-end-view.js";
import { listStatistics } from "./answer-statistics.js";
import { AnswerTools } from "./answer-tools.js";
import { joinContinued } from "./continued-items.js";
import { EditForm } from "./edit-form.js";
import type { LiveAnswer } from "./live-answer.js";
import { McpItemView } from "./mcp-call-view.js";
import { ReasoningView } from "./reasoning-view.js";
import { estimateThinkingMs } from "./thinking-time.js";
import { listScoredTokens } from "./token-probabilities.js";
import { ToolCallView } from "./tool-call-view.js";
import {
  type AnswerItem,
  findEditableText,
  isCall,
  outputOfCall,
  recordOf,
  textOfAnswer,
  textOfMessage,
} from "./turns.js";

const TokenView = lazy(async () => (await import("./token-view.js")).TokenView);

/** Position of an answer in its conversation. */
export interface AnswerPlace {
  /** Returns the items before the answer. */
  readonly before: () => readonly StoredItem[];
  /** Whether the answer ends the conversation. */
  readonly isLast: boolean;
}

export interface AnswerViewProps {
  readonly conversation: ConversationObject;
  readonly items: readonly AnswerItem[];
  readonly state: LiveAnswer["state"];
  /** Switch to alternative answers. */
  readonly forks?: ComponentChildren;
  /** Absent: the answer is not shown as a part of its conversation. */
  readonly place?: AnswerPlace;
  /** Regenerates the answer. Absent: the conversation cannot be changed at present. */
  readonly onRetry?: (() => void) | undefined;
}

/** An answer of a model, complete or in progress. */
export function AnswerView({ conversation, items, state, forks, place, onRetry }: AnswerViewProps) {
  const record = recordOf(items);
  const text = textOfAnswer({ items });
  const isEnded = state === "ended";
  const context = models.value.find(({ id }) => id === record?.model)?.max_model_len;
  const id = items.at(-1)?.id ?? "";
  const draftName = `edit:${id}`;
  const [isEditing, setEditing] = useState(() => id !== "" && readKept(draftName) !== "");
  const [areTokensShown, setTokensShown] = useState(false);
  const article = useRef<HTMLElement>(null);
  useKeptFocus(
    () => article.current,
    () => article.current?.querySelector<HTMLElement>(".edit-answer button"),
  );
  const end = isEnded ? describeEnd(items, context) : undefined;
  const tokens = isEnded ? listScoredTokens(items) : [];
  const canEdit = isEnded && place !== undefined && onRetry !== undefined && text !== "";
  return (
    <article ref={article} class="turn answer" aria-busy={!isEnded}>
      <h2 class="visually-hidden">{record?.model ?? "Answer"}</h2>
      {canEdit && isEditing ? (
        <EditForm
          name={draftName}
          text={findEditableText(items)}
          label="Edited answer"
          action="Save as a version"
          onSend={(changed) => editAnswer(conversation, place.before(), items, changed)}
          onEnd={() => setEditing(false)}
        />
      ) : areTokensShown && tokens.length > 0 ? (
        <TokenView tokens={tokens} />
      ) : (
        <AnswerItems conversation={conversation} items={items} isEnded={isEnded} />
      )}
      {!isEnded && items.length === 0 && (
        <p class="waiting">
          <span class="visually-hidden">Generating…</span>
          <span class="dots" aria-hidden="true" />
        </p>
      )}
      {end !== undefined && (
        <AnswerEndView
          conversation={conversation}
          end={end}
          isLast={place?.isLast ?? false}
          onRegenerate={onRetry}
        />
      )}
      {isEnded && !isEditing && (
        <div class="turn-bar">
          {forks}
          {text !== "" && <CopyButton text={text} label="Copy answer" />}
          {onRetry !== undefined && (
            <IconButton icon="retry" label="Regenerate" onClick={onRetry} />
          )}
          {canEdit && (
            <span class="edit-answer">
              <IconButton icon="edit" label="Edit answer" onClick={() => setEditing(true)} />
            </span>
          )}
          {place !== undefined && (
            <AnswerTools
              conversation={conversation}
              before={place.before}
              answerId={id}
              model={record?.model}
              canCompare={onRetry !== undefined}
              tokens={
                tokens.length > 0
                  ? { areShown: areTokensShown, toggle: () => setTokensShown(!areTokensShown) }
                  : undefined
              }
            />
          )}
          {record !== undefined && (
            <span class="statistics">{listStatistics(record, context).join(" · ")}</span>
          )}
        </div>
      )}
    </article>
  );
}

interface AnswerItemsProps {
  readonly conversation: ConversationObject;
  readonly items: readonly AnswerItem[];
  readonly isEnded: boolean;
}

function AnswerItems({ conversation, items, isEnded }: AnswerItemsProps) {
  const joined = joinContinued(items);
  return (
    <>
      {joined.map((item, index) => {
        const isStreaming = !isEnded && index === joined.length - 1;
        return item.type === "reasoning" ? (
          <ReasoningView
            key={item.id}
            item={item}
            isStreaming={isStreaming}
            estimatedMs={estimateThinkingMs(joined, index)}
          />
        ) : (
          <ItemView
            key={item.id}
            conversation={conversation}
            item={item}
            items={items}
            isStreaming={isStreaming}
            isAnswering={!isEnded}
          />
        );
      })}
    </>
  );
}

interface ItemViewProps {
  readonly conversation: ConversationObject;
  readonly item: AnswerItem;
  readonly items: readonly AnswerItem[];
  /** Whether more of the item will arrive. */
  readonly isStreaming: boolean;
  /** Whether more of the answer will arrive. */
  readonly isAnswering: boolean;
}

function ItemView({ conversation, item, items, isStreaming, isAnswering }: ItemViewProps) {
  switch (item.type) {
    case "message":
      return <Markdown text={textOfMessage(item)} />;
    case "mcp_list_tools":
    case "mcp_call":
    case "mcp_approval_request":
    case "mcp_approval_response":
      return (
        <McpItemView
          conversation={conversation}
          item={item}
          items={items}
          isStreaming={isAnswering}
        />
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
