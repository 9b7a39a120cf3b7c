import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { Icon, IconButton } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { goTo, route, toHash } from "../route.js";
import { mayWrite } from "../session.js";
import { rootOf } from "./branches.js";
import { titleOfConversation } from "./chat-settings.js";
import {
  conversations,
  familyOf,
  hasMoreConversations,
  listError,
  readConversations,
  readMoreConversations,
  removeFamily,
  renameFamily,
} from "./conversations.js";
import { liveAnswers, thread } from "./thread.js";

interface ConversationListProps {
  /** Whether the list overlays the conversation, on a narrow screen. */
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** All conversations, with a button for a new one. */
export function ConversationList({ isOpen, onClose }: ConversationListProps) {
  const [removalTarget, setRemovalTarget] = useState<ConversationObject>();
  const list = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (isOpen) list.current?.querySelector("button")?.focus();
  }, [isOpen]);
  return (
    <nav
      ref={list}
      class="conversation-list"
      data-open={isOpen}
      aria-label="Conversations"
      onKeyDown={({ key }) => isOpen && key === "Escape" && onClose()}
    >
      <div class="list-bar">
        <button
          type="button"
          class="new-conversation"
          onClick={() => {
            goTo({ view: "chat" });
            onClose();
          }}
        >
          <Icon name="add" /> New chat
        </button>
        <span class="narrow-only">
          <IconButton icon="close" label="Close list" onClick={onClose} />
        </span>
      </div>
      {listError.value !== undefined && (
        <Notice message={listError.value}>
          <button type="button" onClick={() => void readConversations()}>
            Try again
          </button>
        </Notice>
      )}
      <ul>
        {conversations.value.map((conversation) => (
          <Entry
            key={rootOf(conversation)}
            conversation={conversation}
            onRemove={() => setRemovalTarget(conversation)}
          />
        ))}
      </ul>
      {hasMoreConversations.value && listError.value === undefined && (
        <button type="button" class="link" onClick={() => void readMoreConversations()}>
          Load older chats
        </button>
      )}
      {removalTarget !== undefined && (
        <RemoveDialog conversation={removalTarget} onEnd={() => setRemovalTarget(undefined)} />
      )}
    </nav>
  );
}

interface EntryProps {
  readonly conversation: ConversationObject;
  readonly onRemove: () => void;
}

function Entry({ conversation, onRemove }: EntryProps) {
  const [isRenaming, setRenaming] = useState(false);
  const title = titleOfConversation(conversation);
  const shown = thread.value;
  const isShown =
    route.value.id !== undefined &&
    (route.value.id === conversation.id ||
      (shown.state === "open" && rootOf(shown.conversation) === rootOf(conversation)));
  const isAnswering = familyOf(conversation).some(({ id }) => liveAnswers.value.has(id));
  if (isRenaming) {
    return (
      <li>
        <RenameForm conversation={conversation} title={title} onEnd={() => setRenaming(false)} />
      </li>
    );
  }
  return (
    <li class="entry">
      <a
        href={toHash({ view: "chat", id: conversation.id })}
        aria-current={isShown ? "true" : undefined}
        title={title}
      >
        {title}
        {isAnswering && <span class="badge">answering</span>}
      </a>
      {mayWrite() && (
        <span class="entry-actions">
          <IconButton icon="edit" label={`Rename ${title}`} onClick={() => setRenaming(true)} />
          <IconButton icon="remove" label={`Delete ${title}`} onClick={onRemove} />
        </span>
      )}
    </li>
  );
}

interface RenameFormProps {
  readonly conversation: ConversationObject;
  readonly title: string;
  readonly onEnd: () => void;
}

const MAX_TITLE_CHARACTERS = 200;

function RenameForm({ conversation, title, onEnd }: RenameFormProps) {
  const [text, setText] = useState(title);
  const action = useAction();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const save = () =>
    action.run(async () => {
      await renameFamily(conversation, text.trim());
      announce("Renamed");
      onEnd();
    });
  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") save();
      }}
    >
      <input
        ref={input}
        aria-label="Title"
        value={text}
        maxLength={MAX_TITLE_CHARACTERS}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={({ key }) => key === "Escape" && onEnd()}
      />
      <div class="actions">
        <button type="submit" class="primary">
          Rename
        </button>
        <button type="button" onClick={onEnd}>
          Cancel
        </button>
      </div>
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
    </form>
  );
}

interface RemoveDialogProps {
  readonly conversation: ConversationObject;
  readonly onEnd: () => void;
}

function RemoveDialog({ conversation, onEnd }: RemoveDialogProps) {
  const remove = async () => {
    const shown = thread.value;
    const isShown = shown.state === "open" && rootOf(shown.conversation) === rootOf(conversation);
    try {
      await removeFamily(conversation);
      announce("Deleted");
      if (isShown) goTo({ view: "chat" });
    } catch (error) {
      listError.value = messageOf(error);
    }
  };
  return (
    <ConfirmDialog
      question={`Delete “${titleOfConversation(conversation)}”?`}
      consequence="The conversation and all its versions will be deleted permanently."
      action="Delete"
      onConfirm={() => void remove()}
      onClose={onEnd}
    />
  );
}
