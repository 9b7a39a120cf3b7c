import { useEffect, useRef, useState } from "preact/hooks";
import { ActionNotice } from "../parts/action-notice.js";
import { announce } from "../parts/announcer.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { IconButton } from "../parts/icon.js";
import { useAction } from "../parts/use-action.js";
import { mayWrite } from "../session.js";
import { TitleForm } from "./title-form.js";
import { filter, hideTodo, showNotice, showTodo } from "./todo-list.js";
import { isShown, type KnownTodo } from "./todo-page.js";
import { type ChangeOutcome, changeTodo, deleteTodo, type TodoChange } from "./todo-requests.js";

interface TodoRowProps {
  readonly todo: KnownTodo;
  /** Called before the row is removed while it has the focus. */
  readonly onLeave: () => void;
}

/** An item with its actions. */
export function TodoRow({ todo, onLeave }: TodoRowProps) {
  const [mode, setMode] = useState<"shown" | "renaming" | "deleting">("shown");
  const action = useAction();
  const row = useRef<HTMLLIElement>(null);
  const buttons = useRef<HTMLSpanElement>(null);
  const latest = useLatest(todo);

  const leave = () => {
    if (row.current?.contains(document.activeElement)) onLeave();
  };
  const show = (now: KnownTodo) => {
    if (!isShown(now, filter.peek())) leave();
    showTodo(now);
  };
  const settle = (outcome: ChangeOutcome) => {
    switch (outcome.type) {
      case "changed":
        show(outcome.todo);
        return;
      case "overtaken": {
        const { title, completed } = outcome.todo;
        const message = `This item was changed elsewhere. It is now “${title}”, ${completed ? "done" : "open"}.`;
        if (!isShown(outcome.todo, filter.peek())) showNotice(message);
        show(outcome.todo);
        throw new Error(message);
      }
      case "gone":
        leave();
        hideTodo(todo.id);
    }
  };
  const change = (fields: TodoChange, announcement: string) =>
    action.run(async () => {
      const outcome = await changeTodo(latest.current, fields);
      settle(outcome);
      if (outcome.type === "gone") showNotice(`“${todo.title}” was deleted elsewhere.`);
      else announce(announcement);
      if (fields.title !== undefined) setMode("shown");
    });
  const remove = () =>
    action.run(async () => {
      settle(await deleteTodo(latest.current));
      announce(`Deleted: ${todo.title}`);
    });
  const stopRenaming = () => {
    setMode("shown");
    action.dismiss();
  };
  const hadForm = useRef(false);
  useEffect(() => {
    // The form that had the focus is gone.
    if (hadForm.current && mode !== "renaming") {
      buttons.current?.querySelector("button")?.focus();
    }
    hadForm.current = mode === "renaming";
  }, [mode]);

  return (
    <li ref={row} class="todo" aria-busy={action.isBusy}>
      {mode === "renaming" ? (
        <TitleForm
          title={todo.title}
          isBusy={action.isBusy}
          onSave={(title) => change({ title }, `Renamed: ${title}`)}
          onCancel={stopRenaming}
        />
      ) : (
        <div class="line">
          <input
            id={checkboxIdOf(todo.id)}
            type="checkbox"
            checked={todo.completed}
            disabled={!mayWrite()}
            onClick={(event) => {
              // The checkbox shows the server's state once that is known.
              event.preventDefault();
              const completed = !todo.completed;
              change({ completed }, `${completed ? "Done" : "Reopened"}: ${todo.title}`);
            }}
          />
          <label for={checkboxIdOf(todo.id)}>{todo.title}</label>
          {mayWrite() && (
            <span class="row-buttons" ref={buttons}>
              <IconButton
                icon="edit"
                label={`Rename ${todo.title}`}
                onClick={() => setMode("renaming")}
              />
              <IconButton
                icon="remove"
                label={`Delete ${todo.title}`}
                onClick={() => setMode("deleting")}
              />
            </span>
          )}
        </div>
      )}
      <ActionNotice action={action} />
      {mode === "deleting" && (
        <ConfirmDialog
          question={`Delete “${todo.title}”?`}
          consequence="This cannot be undone."
          action="Delete"
          onConfirm={remove}
          onClose={() => setMode("shown")}
        />
      )}
    </li>
  );
}

/** Returns the id of the control that receives the focus when a neighbouring item is removed. */
export function checkboxIdOf(id: number): string {
  return `todo-${id}`;
}

/**
 * Returns a reference to the latest value, so that a retried action uses the item's current state.
 */
function useLatest<Value>(value: Value) {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}
