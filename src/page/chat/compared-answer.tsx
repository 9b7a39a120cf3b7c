import { lazy } from "../parts/lazy.js";
import { type AnswerPlace, AnswerView, type AnswerViewProps } from "./answer-view.js";
import { comparison } from "./compare.js";
import { recordOf } from "./turns.js";

const CompareColumn = lazy(async () => (await import("./compare-column.js")).CompareColumn);

interface ComparedAnswerProps extends AnswerViewProps {
  readonly place: AnswerPlace;
}

/** An answer, with a second column for another one while it is compared. */
export function ComparedAnswer(props: ComparedAnswerProps) {
  const { conversation, items, place } = props;
  const id = items.at(-1)?.id;
  const view = <AnswerView {...props} />;
  if (id === undefined || comparison.value?.answerId !== id) return view;
  return (
    <div class="comparison">
      {view}
      <CompareColumn
        conversation={conversation}
        before={place.before()}
        answerId={id}
        model={recordOf(items)?.model}
      />
    </div>
  );
}
