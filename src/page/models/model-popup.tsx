import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ListedModel } from "../../api/models/models.js";
import { announce } from "../parts/announcer.js";
import { ProgressBar } from "../parts/progress-bar.js";
import { findByTyping, moveActive } from "./list-navigation.js";
import { describeChoice, findProblem, groupChoices } from "./model-choices.js";
import { computeLoadedShare } from "./model-text.js";

/** Number of models from which on the list has a filter. */
const FILTER_THRESHOLD = 10;
/** Time after which typed characters begin a new word. */
const TYPING_MS = 800;

interface ModelPopupProps {
  readonly models: readonly ListedModel[];
  /** Name of the chosen model. */
  readonly selected: string | undefined;
  /** Name of the model that answers requests without a model. */
  readonly defaultName: string | null;
  readonly onChoose: (name: string) => void;
  /** @param focus whether the focus returns to the button */
  readonly onClose: (focus: "return" | "stay") => void;
  /** Opens the downloads, with the text of the filter; absent: this key cannot download models. */
  readonly onDownload?: ((text: string) => void) | undefined;
}

/** List of models to choose from, by mouse or keyboard. */
export function ModelPopup(props: ModelPopupProps) {
  const { models, selected, defaultName, onChoose, onClose, onDownload } = props;
  const id = useId();
  const [filter, setFilter] = useState("");
  const popup = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: "", atMs: 0 });
  const hasFilter =
    groupChoices(models).reduce((sum, one) => sum + one.models.length, 0) > FILTER_THRESHOLD;
  const groups = groupChoices(models, filter);
  const choices = groups.flatMap((group) => group.models);
  const [activeName, setActiveName] = useState(selected);
  const index = choices.findIndex((model) => model.id === activeName);
  // Without the chosen model in the list, the first one is active.
  const active = index < 0 ? Math.min(0, choices.length - 1) : index;
  const optionId = (position: number) => `${id}-option-${position}`;

  const listbox = {
    id: `${id}-list`,
    "aria-activedescendant": active < 0 ? undefined : optionId(active),
  };
  useLayoutEffect(() => {
    popup.current?.querySelector<HTMLElement>("input, [role=listbox]")?.focus();
  }, []);
  useLayoutEffect(() => {
    document.getElementById(optionId(active))?.scrollIntoView({ block: "nearest" });
  }, [active]);
  useEffect(() => {
    const closeOutside = ({ target }: PointerEvent) => {
      // The button, a sibling of the popup, closes it itself.
      if (!popup.current?.parentElement?.contains(target as Node)) onClose("stay");
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, []);

  const activate = (position: number) => setActiveName(choices[position]?.id);
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const next = moveActive(key, active, choices.length);
    if (next !== undefined) {
      event.preventDefault();
      activate(next);
      return;
    }
    const chosen = choices[active];
    if (key === "Enter" || (key === " " && !hasFilter)) {
      event.preventDefault();
      if (chosen !== undefined) onChoose(chosen.id);
      return;
    }
    if (hasFilter || key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    const isContinued = event.timeStamp - typed.current.atMs < TYPING_MS;
    const text = (isContinued ? typed.current.text : "") + key;
    typed.current = { text, atMs: event.timeStamp };
    const names = choices.map((model) => model.id);
    const found = findByTyping(names, text, active);
    if (found >= 0) activate(found);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles events of the elements inside
    <div
      ref={popup}
      class="model-popup"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose("return");
      }}
      onFocusOut={({ relatedTarget }) => {
        if (
          relatedTarget instanceof Node &&
          !popup.current?.parentElement?.contains(relatedTarget)
        ) {
          onClose("stay");
        }
      }}
    >
      {hasFilter && (
        <input
          role="combobox"
          aria-label="Filter models"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={listbox.id}
          aria-activedescendant={listbox["aria-activedescendant"]}
          placeholder="Filter models"
          autocomplete="off"
          spellcheck={false}
          value={filter}
          onInput={({ currentTarget: { value } }) => {
            setFilter(value);
            setActiveName(undefined);
            announce(countModels(groupChoices(models, value)));
          }}
          onKeyDown={onKeyDown}
        />
      )}
      <div
        {...listbox}
        role="listbox"
        aria-label="Models"
        tabIndex={hasFilter ? -1 : 0}
        onKeyDown={hasFilter ? undefined : onKeyDown}
      >
        {groups.map(({ title, models: members }, number) => (
          // biome-ignore lint/a11y/useSemanticElements: a listbox may contain groups, but no fieldset
          <div key={title} role="group" aria-labelledby={`${id}-group-${number}`}>
            <div id={`${id}-group-${number}`} class="model-group" role="presentation">
              {title}
            </div>
            {members.map((model) => {
              const position = choices.indexOf(model);
              return (
                <ModelOption
                  key={model.id}
                  id={optionId(position)}
                  model={model}
                  isDefault={model.id === defaultName}
                  isSelected={model.id === selected}
                  isActive={position === active}
                  onActive={() => activate(position)}
                  onChoose={() => onChoose(model.id)}
                />
              );
            })}
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <p class="hint">
          {filter === "" ? "No models that generate text." : "No matching models."}
        </p>
      )}
      {onDownload !== undefined && (
        <button type="button" class="model-download" onClick={() => onDownload(filter.trim())}>
          {filter.trim() === "" ? "Download a model" : `Search Hugging Face for “${filter.trim()}”`}
        </button>
      )}
    </div>
  );
}

function countModels(groups: ReturnType<typeof groupChoices>): string {
  const count = groups.reduce((sum, { models }) => sum + models.length, 0);
  return count === 1 ? "1 model" : `${count} models`;
}

interface ModelOptionProps {
  readonly id: string;
  readonly model: ListedModel;
  readonly isDefault: boolean;
  readonly isSelected: boolean;
  readonly isActive: boolean;
  readonly onActive: () => void;
  readonly onChoose: () => void;
}

function ModelOption(props: ModelOptionProps) {
  const { id, model, isDefault, isSelected, isActive, onActive, onChoose } = props;
  const problem = findProblem(model);
  const { status } = model;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the listbox has the focus, with aria-activedescendant
    // biome-ignore lint/a11y/useKeyWithClickEvents: the listbox handles keys
    <div
      id={id}
      role="option"
      class={isActive ? "model-option active" : "model-option"}
      aria-selected={isSelected}
      onMouseMove={isActive ? undefined : onActive}
      onClick={onChoose}
    >
      <span class="model-name">{model.id}</span>
      {isDefault && <span class="badge">default</span>}
      <span class="hint">{describeChoice(model)}</span>
      {status.value === "loading" && (
        <ProgressBar label={`Loading ${model.id}`} value={computeLoadedShare(status)} />
      )}
      {problem !== undefined && <span class="hint problem">{problem}</span>}
    </div>
  );
}
