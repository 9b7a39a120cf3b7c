import { useEffect, useId, useState } from "preact/hooks";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { messageOf } from "../api/api-error.js";
import { models } from "../models/model-list.js";
import { IconButton } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { goTo } from "../route.js";
import { AnswerView } from "./answer-view.js";
import { findSamplingProblem, settingsOf } from "./chat-settings.js";
import { comparison, generateVariant } from "./compare.js";
import { readItems } from "./conversations.js";
import { failures, liveAnswers } from "./thread.js";
import { type AnswerItem, groupIntoTurns } from "./turns.js";

interface CompareColumnProps {
  readonly conversation: ConversationObject;
  /** Items before the compared answer. */
  readonly before: readonly StoredItem[];
  readonly answerId: string;
  /** Model of the compared answer; absent: unknown. */
  readonly model: string | undefined;
}

/** Second column next to an answer: another answer to the same question. */
export function CompareColumn({ conversation, before, answerId, model }: CompareColumnProps) {
  const { branch } = comparison.value ?? {};
  return (
    <section class="compare-column" aria-label="Comparison">
      <div class="compare-bar">
        <h3>Compare</h3>
        <IconButton
          icon="close"
          label="End the comparison"
          onClick={() => {
            comparison.value = undefined;
          }}
        />
      </div>
      <VariantForm
        conversation={conversation}
        before={before}
        answerId={answerId}
        comparedModel={model}
      />
      {branch !== undefined && <VariantAnswer key={branch.id} branch={branch} />}
    </section>
  );
}

interface VariantFormProps extends Omit<CompareColumnProps, "model"> {
  readonly comparedModel: string | undefined;
}

function VariantForm({ conversation, before, answerId, comparedModel }: VariantFormProps) {
  const candidates = models.value
    .filter(({ capabilities }) => capabilities?.includes("completion") ?? true)
    .map(({ id }) => id);
  const other = candidates.find((id) => id !== comparedModel) ?? candidates[0] ?? "";
  const [model, setModel] = useState(other);
  const [temperature, setTemperature] = useState("");
  const action = useAction();
  const [modelId, temperatureId] = [useId(), useId()];
  const problem = findSamplingProblem("temperature", temperature);
  const { branch } = comparison.value ?? {};
  const isAnswering = branch !== undefined && liveAnswers.value.has(branch.id);
  const present = settingsOf(conversation).sampling.temperature;
  const generate = () =>
    action.run(async () => {
      const text = temperature.trim();
      const variant = { model, temperature: text === "" ? undefined : Number(text) };
      comparison.value = {
        answerId,
        branch: await generateVariant(conversation, before, variant),
      };
    });
  return (
    <form
      class="variant-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && model !== "") generate();
      }}
    >
      <div>
        <label for={modelId}>Model</label>
        <select
          id={modelId}
          value={model}
          onChange={({ currentTarget }) => setModel(currentTarget.value)}
        >
          {candidates.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for={temperatureId}>Temperature</label>
        <input
          id={temperatureId}
          type="text"
          inputMode="decimal"
          autocomplete="off"
          placeholder={present === undefined ? "as here" : `${present}`}
          aria-invalid={problem !== undefined}
          value={temperature}
          onInput={({ currentTarget }) => setTemperature(currentTarget.value)}
        />
      </div>
      <button type="submit" class="primary" disabled={action.isBusy || isAnswering}>
        Generate
      </button>
      {problem !== undefined && <p class="hint problem">{problem}</p>}
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
    </form>
  );
}

function VariantAnswer({ branch }: { readonly branch: ConversationObject }) {
  const live = liveAnswers.value.get(branch.id);
  const failure = failures.value.get(branch.id);
  const [stored, setStored] = useState<readonly AnswerItem[]>();
  const [errorMessage, setErrorMessage] = useState<string>();
  const isAnswering = live !== undefined;
  useEffect(() => {
    if (isAnswering) return;
    readItems(branch.id)
      .then((items) => {
        const last = groupIntoTurns(items).at(-1);
        setStored(last?.type === "answer" ? last.items : []);
      })
      .catch((error: unknown) => setErrorMessage(messageOf(error)));
  }, [branch.id, isAnswering]);
  const message = errorMessage ?? failure?.message;
  return (
    <>
      {(live !== undefined || (stored !== undefined && stored.length > 0)) && (
        <AnswerView
          conversation={branch}
          items={live?.items ?? stored ?? []}
          state={live?.state ?? "ended"}
        />
      )}
      {message !== undefined && <Notice message={message} />}
      {live === undefined && stored !== undefined && stored.length > 0 && (
        <button
          type="button"
          onClick={() => {
            comparison.value = undefined;
            goTo({ view: "chat", id: branch.id });
          }}
        >
          Continue with this answer
        </button>
      )}
    </>
  );
}
