import { useId, useState } from "preact/hooks";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { useAction } from "../parts/use-action.js";
import { createKey } from "./key-list.js";
import { SCOPES } from "./key-text.js";
import { NewValue } from "./new-value.js";

/** Number fields of the form; the API has further attributes. */
const LIMITS = {
  requests_per_minute: "Requests per minute",
  tokens_per_minute: "Tokens per minute",
  concurrent: "Concurrent requests",
} as const;

type Limit = keyof typeof LIMITS;

/** Form that creates a key, and then shows its value. */
export function NewKeyForm() {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly string[]>(["inference"]);
  const [limits, setLimits] = useState<Readonly<Partial<Record<Limit, string>>>>({});
  const [created, setCreated] = useState<{ readonly name: string; readonly value: string }>();
  const action = useAction();
  const id = useId();
  const create = () =>
    action.run(async () => {
      const counts = Object.entries(limits).filter(([, text]) => text !== "");
      const value = await createKey({
        name,
        scopes,
        ...Object.fromEntries(counts.map(([field, text]) => [field, Number(text)])),
      });
      announce(`Key of ${name} created.`);
      setCreated({ name, value });
      setName("");
      setLimits({});
    });
  return (
    <form
      class="card-form key-details"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== "" && scopes.length > 0) create();
      }}
    >
      <label for={`${id}-name`}>Name</label>
      <input
        id={`${id}-name`}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        required
        maxLength={64}
        readOnly={action.isBusy}
        value={name}
        onInput={({ currentTarget }) => setName(currentTarget.value.trim())}
      />
      <fieldset>
        <legend>Scopes</legend>
        {Object.entries(SCOPES).map(([scope, description]) => (
          <label key={scope} class="scope">
            <input
              type="checkbox"
              checked={scopes.includes(scope)}
              onChange={({ currentTarget: { checked } }) =>
                setScopes((chosen) =>
                  checked ? [...chosen, scope] : chosen.filter((one) => one !== scope),
                )
              }
            />
            {description}
          </label>
        ))}
      </fieldset>
      <div class="choices">
        {(Object.keys(LIMITS) as Limit[]).map((limit) => (
          <div key={limit}>
            <label for={`${id}-${limit}`}>{LIMITS[limit]}</label>
            <input
              id={`${id}-${limit}`}
              type="number"
              min={1}
              placeholder="not limited"
              value={limits[limit] ?? ""}
              onInput={({ currentTarget }) =>
                setLimits((known) => ({ ...known, [limit]: currentTarget.value }))
              }
            />
          </div>
        ))}
      </div>
      <div class="actions">
        <button type="submit" class="primary" aria-disabled={action.isBusy || scopes.length === 0}>
          Create key
        </button>
      </div>
      <ActionNotice action={action} />
      {created !== undefined && <NewValue {...created} onClose={() => setCreated(undefined)} />}
    </form>
  );
}
