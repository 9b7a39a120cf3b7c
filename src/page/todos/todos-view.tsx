import { useEffect } from "preact/hooks";
import { IconButton } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { mayWrite } from "../session.js";
import { FilterChoice } from "./filter-choice.js";
import { NewTodoForm } from "./new-todo-form.js";
import {
  filter,
  readMoreTodos,
  readTodos,
  todoListError,
  todoNotice,
  todoPage,
  todoPageInProgress,
} from "./todo-list.js";
import { type Filter, neighbourOf } from "./todo-page.js";
import { checkboxIdOf, TodoRow } from "./todo-row.js";

const HEADING_ID = "todos-heading";

/** The to-dos shared by all users of the server. */
export function TodosView() {
  useEffect(() => void readTodos(), []);
  const { items, nextCursor } = todoPage.value;
  const reading = todoPageInProgress.value;
  const listError = todoListError.value;
  return (
    <>
      <div class="heading">
        <h1 id={HEADING_ID} tabIndex={-1}>
          To-dos
        </h1>
        <IconButton icon="retry" label="Reload" onClick={() => void readTodos()} />
      </div>
      {mayWrite() && <NewTodoForm />}
      <FilterChoice />
      {todoNotice.value !== undefined && <p class="news">{todoNotice.value}</p>}
      <ul class="todos" aria-labelledby={HEADING_ID} aria-busy={reading !== undefined}>
        {items.map((todo) => (
          <TodoRow key={todo.id} todo={todo} onLeave={() => focusAfter(todo.id)} />
        ))}
      </ul>
      {listError !== undefined && (
        <Notice message={listError.reason}>
          <button type="button" onClick={listError.tryAgain}>
            Try again
          </button>
        </Notice>
      )}
      {items.length === 0 && reading === undefined && listError === undefined && (
        <p class="hint">{EMPTY[filter.value]}</p>
      )}
      {nextCursor !== null && (
        <button
          type="button"
          aria-disabled={reading !== undefined}
          onClick={() => void readMoreTodos().then(() => focusFrom(items.length))}
        >
          Load more
        </button>
      )}
    </>
  );
}

const EMPTY: Readonly<Record<Filter, string>> = {
  all: "No to-dos yet.",
  open: "No open to-dos.",
  done: "No completed to-dos.",
};

/** Moves the focus to the first new item if the button that loaded it has disappeared. */
function focusFrom(index: number): void {
  const { items, nextCursor } = todoPage.peek();
  const first = items[index];
  if (nextCursor === null && first !== undefined) focusSoon(checkboxIdOf(first.id));
}

/** Moves the focus to the neighbour of a removed item once that is rendered. */
function focusAfter(id: number): void {
  const next = neighbourOf(todoPage.peek(), id);
  focusSoon(next === undefined ? HEADING_ID : checkboxIdOf(next));
}

function focusSoon(elementId: string): void {
  requestAnimationFrame(() => document.getElementById(elementId)?.focus());
}
