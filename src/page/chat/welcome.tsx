import { useEffect, useState } from "preact/hooks";
import type { ListedModel } from "../../api/models/models.js";
import { areModelsKnown } from "../models/model-list.js";
import { toHash } from "../route.js";
import { client, mayWrite, permits } from "../session.js";
import { fillComposer } from "./composer-field.js";
import { listModelFacts } from "./model-facts.js";
import { currentModel } from "./model-picker.js";
import { selectStarterPrompts } from "./starter-prompts.js";

/** A conversation that has not started: the model that will answer, and questions to begin with. */
export function Welcome() {
  const model = currentModel();
  return (
    <section class="thread welcome" aria-label="New chat">
      <h1>How can I help?</h1>
      {model !== undefined && <ModelCard key={model.id} model={model} />}
      {model === undefined && areModelsKnown.value && (
        <p class="hint">
          No model to chat with. <a href={toHash({ view: "models" })}>Models</a>
        </p>
      )}
      {model !== undefined && mayWrite() && (
        <ul class="starter-prompts" aria-label="Example questions">
          {selectStarterPrompts(model.capabilities).map(({ title, text }) => (
            <li key={title}>
              <button type="button" onClick={() => fillComposer(text)}>
                <strong>{title}</strong>
                <span>{text}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <p class="hint">Your chats stay on this server.</p>
    </section>
  );
}

function ModelCard({ model }: { readonly model: ListedModel }) {
  const speed = useSpeed(model.id);
  const isLoaded = model.meta !== undefined;
  return (
    <section class="model-card" aria-labelledby="model-card-name">
      <h2 id="model-card-name">{model.id}</h2>
      {!isLoaded && model.status.value === "unloaded" && (
        <p class="hint">Not loaded. The first question loads it.</p>
      )}
      {isLoaded && (
        <dl class="facts">
          {listModelFacts(model, speed).map(([term, text]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

/** Speed of a model's answers so far; `undefined`: unknown. Only the scope `admin` may read it. */
function useSpeed(model: string): number | undefined {
  const [speed, setSpeed] = useState<number>();
  const canRead = permits("admin");
  useEffect(() => {
    if (!canRead) return;
    import("./model-speed.js")
      .then(({ readSpeed }) => readSpeed(client, model))
      // The card is complete without it.
      .then(setSpeed, () => undefined);
  }, [model, canRead]);
  return speed;
}
