import { filter, showOnly } from "./todo-list.js";
import { type Filter, filters } from "./todo-page.js";

const NAMES: Readonly<Record<Filter, string>> = { all: "All", open: "Open", done: "Done" };

/** Choice of the items to show. */
export function FilterChoice() {
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">Show</legend>
      {filters.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="todo-filter"
            checked={filter.value === one}
            onChange={() => void showOnly(one)}
          />
          <span>{NAMES[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
