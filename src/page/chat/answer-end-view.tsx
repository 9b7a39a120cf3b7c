import type { ConversationObject } from "../../api/responses/response-schema.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { continueAnswer, retryAnswer, summariseAndContinue } from "./answer-actions.js";
import type { AnswerEnd, NextStep } from "./answer-end.js";
import { focusComposer } from "./composer-field.js";

const LABELS: Readonly<Record<NextStep, string>> = {
  continue: "Continue",
  retry: "Try again",
  regenerate: "Regenerate",
  summarise: "Continue in a new chat with a summary",
};

interface AnswerEndViewProps {
  readonly conversation: ConversationObject;
  readonly end: AnswerEnd;
  /** Whether steps that change the end of the conversation are possible. */
  readonly isLast: boolean;
  /** Regenerates the answer. Absent: currently impossible. */
  readonly onRegenerate: (() => void) | undefined;
}

/** Why an answer ended, with the possible next steps. */
export function AnswerEndView({ conversation, end, isLast, onRegenerate }: AnswerEndViewProps) {
  const action = useAction();
  const actions: Readonly<Record<NextStep, () => void>> = {
    continue: () => action.run(() => continueAnswer(conversation)),
    retry: () => action.run(() => retryAnswer(conversation)),
    regenerate: () => onRegenerate?.(),
    summarise: () => action.run(() => summariseAndContinue(conversation)),
  };
  // Without `onRegenerate`, the conversation cannot be changed at present.
  const steps = end.steps.filter((step) => onRegenerate && (isLast || step === "regenerate"));
  const buttons = steps.map((step) => (
    <button
      key={step}
      type="button"
      disabled={action.isBusy}
      onClick={() => {
        focusComposer();
        actions[step]();
      }}
    >
      {LABELS[step]}
    </button>
  ));
  return (
    <>
      {end.isFailure ? (
        <Notice message={end.text}>{buttons}</Notice>
      ) : (
        <div class="answer-end">
          <p class="hint">{end.text}</p>
          {buttons}
        </div>
      )}
      {action.isBusy && steps.includes("summarise") && (
        <p class="hint" role="status">
          Summarising…
        </p>
      )}
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
    </>
  );
}
