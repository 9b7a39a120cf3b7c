import { useRef, useState } from "preact/hooks";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { Icon } from "../parts/icon.js";
import { useAction } from "../parts/use-action.js";
import { filter, showOnly, showTodo } from "./todo-list.js";
import { isShown } from "./todo-page.js";
import { createIdempotencyKey, createTodo } from "./todo-requests.js";

/** Form that adds an item. The input is kept until the item is created. */
export function NewTodoForm() {
  const [title, setTitle] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const action = useAction();
  const add = () => {
    if (title.trim() === "") {
      field.current?.focus();
      return;
    }
    const key = createIdempotencyKey();
    action.run(async () => {
      const todo = await createTodo(title, key);
      if (isShown(todo, filter.peek())) showTodo(todo);
      else void showOnly("all");
      setTitle("");
      announce(`Added: ${title}`);
      field.current?.focus();
    });
  };
  return (
    <form
      class="new-todo"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <label for="new-todo">What needs to be done?</label>
      <div class="field">
        <input
          ref={field}
          id="new-todo"
          autocomplete="off"
          enterkeyhint="done"
          readOnly={action.isBusy}
          value={title}
          onInput={({ currentTarget }) => {
            setTitle(currentTarget.value);
            action.dismiss();
          }}
        />
        <button type="submit" class="primary" aria-disabled={action.isBusy}>
          <Icon name="add" />
          Add
        </button>
      </div>
      <ActionNotice action={action} />
    </form>
  );
}
