import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { FilePart } from "../attachments/attachment.js";
import { SentFiles } from "../attachments/sent-files.js";
import { Markdown } from "../markdown/markdown.js";
import { CopyButton } from "../parts/copy-button.js";
import { IconButton } from "../parts/icon.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { readKept } from "../tab-storage.js";
import { EditForm } from "./edit-form.js";
import { filesOfQuestion, type Question, textOfMessage } from "./turns.js";

interface QuestionViewProps {
  readonly question: Question;
  /** Switch to alternative questions. */
  readonly forks: ComponentChildren;
  /** Asks with another text and the same files, in a branch. Absent: currently impossible. */
  readonly onEdit?: ((text: string, files: readonly FilePart[]) => Promise<void>) | undefined;
}

const SPEAKERS = { user: "You", system: "System", developer: "System" } as const;

/** A message of the user, or a system message. */
export function QuestionView({ question, forks, onEdit }: QuestionViewProps) {
  const { item } = question;
  const draftName = `edit:${item.id}`;
  const [isEditing, setEditing] = useState(() => readKept(draftName) !== "");
  const text = textOfMessage(item);
  const files = filesOfQuestion(item);
  const article = useRef<HTMLElement>(null);
  useKeptFocus(
    () => article.current,
    () => article.current?.querySelector<HTMLElement>(".edit-question button"),
  );
  return (
    <article ref={article} class={`turn question ${item.role}`}>
      <h2 class="visually-hidden">{SPEAKERS[item.role]}</h2>
      <SentFiles files={files} />
      {isEditing && onEdit !== undefined ? (
        <EditForm
          name={draftName}
          text={text}
          label="Edited message"
          action="Ask"
          onSend={(changed) => onEdit(changed, files)}
          onEnd={() => setEditing(false)}
        />
      ) : (
        <>
          <Markdown text={text} />
          <div class="turn-bar">
            {forks}
            <CopyButton text={text} label="Copy message" />
            {onEdit !== undefined && item.role === "user" && (
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
