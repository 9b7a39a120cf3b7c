import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Markdown } from "../markdown/markdown.js";
import { CopyButton } from "../parts/copy-button.js";
import { IconButton } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { isShownImage } from "./attachments.js";
import { fileNamesOf, imagesOf, type Question, textOfMessage } from "./turns.js";

interface QuestionViewProps {
  readonly question: Question;
  /** Switch to alternative questions. */
  readonly forks: ComponentChildren;
  /** Replaces the text of a question without files, in a branch. Absent: currently impossible. */
  readonly onEdit?: ((text: string, images: readonly string[]) => Promise<void>) | undefined;
}

const SPEAKERS = { user: "You", system: "System", developer: "System" } as const;

/** A message of the user, or a system message. */
export function QuestionView({ question, forks, onEdit }: QuestionViewProps) {
  const [isEditing, setEditing] = useState(false);
  const { item } = question;
  const text = textOfMessage(item);
  const images = imagesOf(item);
  const fileNames = fileNamesOf(item);
  const article = useRef<HTMLElement>(null);
  useKeptFocus(
    () => article.current,
    () => article.current?.querySelector<HTMLElement>(".edit-question button"),
  );
  return (
    <article ref={article} class={`turn question ${item.role}`}>
      <h2 class="visually-hidden">{SPEAKERS[item.role]}</h2>
      {images.length > 0 && (
        <ul class="attachments" aria-label="Images">
          {images.map((url, index) => (
            <li key={index}>
              {isShownImage(url) ? (
                <img src={url} alt={`Attachment ${index + 1}`} />
              ) : (
                <code>{url}</code>
              )}
            </li>
          ))}
        </ul>
      )}
      {fileNames.length > 0 && (
        <ul class="attachments" aria-label="Files">
          {fileNames.map((name, index) => (
            <li key={index}>
              <code>{name}</code>
            </li>
          ))}
        </ul>
      )}
      {isEditing && onEdit !== undefined ? (
        <EditForm
          text={text}
          onSend={(changed) => onEdit(changed, images)}
          onEnd={() => setEditing(false)}
        />
      ) : (
        <>
          <Markdown text={text} />
          <div class="turn-bar">
            {forks}
            <CopyButton text={text} label="Copy message" />
            {onEdit !== undefined && item.role === "user" && fileNames.length === 0 && (
              <span class="edit-question">
                <IconButton icon="edit" label="Edit message" onClick={() => setEditing(true)} />
              </span>
            )}
          </div>
        </>
      )}
    </article>
  );
}

interface EditFormProps {
  readonly text: string;
  readonly onSend: (text: string) => Promise<void>;
  readonly onEnd: () => void;
}

function EditForm({ text: former, onSend, onEnd }: EditFormProps) {
  const [text, setText] = useState(former);
  const action = useAction();
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const send = () =>
    action.run(async () => {
      await onSend(text.trim());
      onEnd();
    });
  return (
    <form
      class="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") send();
      }}
    >
      <textarea
        ref={field}
        rows={4}
        aria-label="Edited message"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={({ key }) => key === "Escape" && onEnd()}
      />
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
      <div class="actions">
        <button type="submit" class="primary">
          Ask
        </button>
        <button type="button" onClick={onEnd}>
          Cancel
        </button>
      </div>
    </form>
  );
}
