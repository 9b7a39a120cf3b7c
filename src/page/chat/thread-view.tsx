import { useMemo, useRef } from "preact/hooks";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { mayWrite } from "../session.js";
import { summariseAndContinue } from "./answer-actions.js";
import { AnswerView } from "./answer-view.js";
import { BranchSwitch } from "./branch-switch.js";
import { forkOf } from "./branches.js";
import { titleOfConversation } from "./chat-settings.js";
import { ComparedAnswer } from "./compared-answer.js";
import { focusComposer } from "./composer-field.js";
import { familyOf } from "./conversations.js";
import { useFollowedEnd } from "./follow-end.js";
import { QuestionView } from "./question-view.js";
import { answer, branch, type Failure, failures, liveAnswers, unstoredAnswers } from "./thread.js";
import { NEAR_END_TURNS, TurnBoundary } from "./turn-boundary.js";
import {
  type Answer,
  awaitsAnswer,
  findOpenCalls,
  groupIntoTurns,
  recordOf,
  type Turn,
} from "./turns.js";

interface ThreadViewProps {
  readonly conversation: ConversationObject;
  readonly items: readonly StoredItem[];
}

/** The turns of a conversation, including an answer in progress. */
export function ThreadView({ conversation, items }: ThreadViewProps) {
  const log = useRef<HTMLElement>(null);
  const onScroll = useFollowedEnd(log);
  const retry = useAction();
  const live = liveAnswers.value.get(conversation.id);
  const unstored = unstoredAnswers.value.get(conversation.id);
  const failure = failures.value.get(conversation.id);
  const turns = useMemo(() => groupIntoTurns(items), [items]);
  const errorMessage = selectErrorMessage(failure, turns.at(-1)) ?? retry.errorMessage;
  const isUnanswered = awaitsAnswer(items) && live === undefined;
  const generate = () => {
    focusComposer();
    void answer(conversation);
  };

  const starts = computeStarts(turns);
  const forkPoints = new Set(familyOf(conversation).map((one) => forkOf(one)?.after));

  return (
    <section
      ref={log}
      class="thread"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable with the keyboard
      tabIndex={0}
      aria-label="Messages"
      onScroll={onScroll}
    >
      <h1 class="visually-hidden">{titleOfConversation(conversation)}</h1>
      {turns.map((turn, index) => {
        const start = starts[index] ?? 0;
        const key = items[start]?.id;
        const before = () => items.slice(0, start);
        const after = items[start - 1]?.id ?? "";
        const forks = forkPoints.has(after) && (
          <BranchSwitch after={after} conversation={conversation} />
        );
        const isNearEnd = index >= turns.length - NEAR_END_TURNS;
        const canChange = live === undefined && mayWrite();
        const common = [conversation, forkPoints.has(after), canChange];
        if (turn.type === "question") {
          return (
            <TurnBoundary
              key={key}
              turn={turn}
              dependencies={[turn.item, ...common]}
              isNearEnd={isNearEnd}
            >
              {() => (
                <QuestionView
                  question={turn}
                  forks={forks}
                  onEdit={
                    canChange
                      ? (text, files) => branch(conversation, before(), { text, files })
                      : undefined
                  }
                />
              )}
            </TurnBoundary>
          );
        }
        const isLast = index === turns.length - 1;
        const shown = isLast && live !== undefined ? withItems(turn, live.items) : turn;
        const state = isLast && live !== undefined ? live.state : "ended";
        return (
          <TurnBoundary
            key={key}
            turn={shown}
            dependencies={[state, isLast, ...common, ...shown.items]}
            isNearEnd={isNearEnd}
          >
            {() => (
              <ComparedAnswer
                conversation={conversation}
                items={shown.items}
                state={state}
                forks={forks}
                place={{ before, isLast }}
                onRetry={
                  canChange ? () => retry.run(() => branch(conversation, before())) : undefined
                }
              />
            )}
          </TurnBoundary>
        );
      })}
      {live !== undefined && turns.at(-1)?.type !== "answer" && (
        <TurnBoundary
          turn={{ type: "answer", items: live.items }}
          dependencies={[live.items, live.state]}
          isNearEnd
        >
          {() => <AnswerView conversation={conversation} items={live.items} state={live.state} />}
        </TurnBoundary>
      )}
      {unstored !== undefined && isUnanswered && (
        <TurnBoundary
          turn={{ type: "answer", items: unstored }}
          dependencies={[unstored]}
          isNearEnd
        >
          {() => <AnswerView conversation={conversation} items={unstored} state="ended" />}
        </TurnBoundary>
      )}
      {live?.connection === "lost" && (
        <p class="hint" role="status">
          Connection lost. Reconnecting…
        </p>
      )}
      {errorMessage !== undefined && (
        <Notice message={errorMessage}>
          {isUnanswered && mayWrite() && (
            <button type="button" onClick={generate}>
              Try again
            </button>
          )}
          {failure?.code === "context_length_exceeded" && mayWrite() && (
            <button
              type="button"
              disabled={retry.isBusy}
              onClick={() => {
                focusComposer();
                retry.run(() => summariseAndContinue(conversation));
              }}
            >
              Continue in a new chat with a summary
            </button>
          )}
        </Notice>
      )}
      {isUnanswered && failure === undefined && mayWrite() && findOpenCalls(items).length === 0 && (
        <div class="actions">
          <button type="button" onClick={generate}>
            Generate answer
          </button>
        </div>
      )}
    </section>
  );
}

/** Selects the failure to show, unless the last turn shows it. */
function selectErrorMessage(
  failure: Failure | undefined,
  last: Turn | undefined,
): string | undefined {
  const isShown = last?.type === "answer" && recordOf(last.items)?.error === failure?.message;
  return isShown ? undefined : failure?.message;
}

function withItems(turn: Answer, added: Answer["items"]): Answer {
  // The record of a running call: the answer in progress has the call.
  const items = turn.items.filter((item) => item.type !== "mcp_call" || item.status !== "calling");
  return { ...turn, items: [...items, ...added] };
}

/** Returns the index of each turn's first item among all items. */
function computeStarts(turns: readonly Turn[]): readonly number[] {
  let next = 0;
  return turns.map((turn) => {
    const start = next;
    next += turn.type === "question" ? 1 : turn.items.length;
    return start;
  });
}
