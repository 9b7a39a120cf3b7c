import { computed, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../api/api-error.js";
import { ConfirmDialog } from "../parts/confirm-dialog.js";
import { Icon, IconButton } from "../parts/icon.js";
import { Menu, MenuButton } from "../parts/menu.js";
import { Notice } from "../parts/notice.js";
import { goTo } from "../route.js";
import { mayWrite } from "../session.js";
import { rootOf } from "./branches.js";
import { titleOfConversation } from "./chat-settings.js";
import { focusComposer } from "./composer-field.js";
import {
  describePendingDeletion,
  finishDeletion,
  holdDeletion,
  pendingDeletion,
  removeAll,
  removeWithUndo,
  resumeDeletion,
  togglePin,
  undoDeletion,
} from "./conversation-actions.js";
import { groupConversations, isPinned } from "./conversation-groups.js";
import { SearchField, SearchResults } from "./conversation-results.js";
import { ConversationRow, openMenu, renamedRoot, restoreRowFocus } from "./conversation-row.js";
import { followSearchText, search } from "./conversation-search.js";
import {
  conversations,
  hasMoreConversations,
  isListPartial,
  listError,
  readConversations,
  readFamily,
  readMoreConversations,
} from "./conversations.js";
import { thread } from "./thread.js";

interface ConversationListProps {
  /** Whether the list overlays the conversation, on a narrow screen. */
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** All conversations, with a search and a button for a new one. */
export function ConversationList({ isOpen, onClose }: ConversationListProps) {
  const list = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (isOpen) list.current?.querySelector("button")?.focus();
  }, [isOpen]);
  useEffect(() => (isOpen ? closeOnEscape(onClose) : undefined), [isOpen]);
  useEffect(followSearchText, []);
  useEffect(readShownFamily, [shownId.value, isListPartial.value]);
  return (
    <>
      {isOpen && (
        <button
          type="button"
          class="list-scrim"
          aria-hidden="true"
          tabIndex={-1}
          onClick={onClose}
        />
      )}
      <nav ref={list} class="conversation-list" data-open={isOpen} aria-label="Conversations">
        <div class="list-bar">
          <button
            type="button"
            class="new-conversation"
            onClick={() => {
              goTo({ view: "chat" });
              onClose();
              focusComposer();
            }}
          >
            <Icon name="add" /> New chat
          </button>
          <ListActions />
          <span class="narrow-only">
            <IconButton icon="close" label="Close list" onClick={onClose} />
          </span>
        </div>
        <SearchField />
        {listError.value !== undefined && (
          <Notice message={listError.value}>
            <button type="button" onClick={() => void readConversations()}>
              Try again
            </button>
          </Notice>
        )}
        <div class="list-content">
          {search.value.state === "none" ? <Groups /> : <SearchResults onChoose={onClose} />}
        </div>
        <UndoBar />
        <RowMenu />
      </nav>
    </>
  );
}

/** Closes the overlaying list by Escape, wherever the focus is. @returns a function that ends it */
function closeOnEscape(onClose: () => void): () => void {
  const handle = (event: KeyboardEvent) => {
    const isHandled = event.defaultPrevented || document.querySelector("dialog[open]") !== null;
    if (event.key !== "Escape" || isHandled) return;
    // Shortcuts, which the window handles, do not stop an answer at the same time.
    event.preventDefault();
    onClose();
  };
  document.addEventListener("keydown", handle);
  return () => document.removeEventListener("keydown", handle);
}

const shownId = computed(() => {
  const shown = thread.value;
  return shown.state === "open" ? shown.conversation.id : undefined;
});

/** Reads the branches of the shown conversation if not all conversations are known. */
function readShownFamily(): void {
  const shown = thread.value;
  if (shown.state !== "open" || !isListPartial.value) return;
  readFamily(shown.conversation).catch((error: unknown) => {
    listError.value = messageOf(error);
  });
}

/** Time of the latest look at the list, from which the days of the groups are counted. */
const now = signal(Date.now());

const groups = computed(() => groupConversations(conversations.value, now.value));

function Groups() {
  const end = useRef<HTMLButtonElement>(null);
  const hasMore = hasMoreConversations.value && listError.value === undefined;
  useEffect(() => {
    const refresh = () => {
      if (document.visibilityState === "visible") now.value = Date.now();
    };
    refresh();
    document.addEventListener("visibilitychange", refresh);
    return () => document.removeEventListener("visibilitychange", refresh);
  }, []);
  // Observes again after each page, because a button that stays in view causes no further event.
  useEffect(() => {
    const { current: button } = end;
    if (button === null || !hasMore) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((one) => one.isIntersecting) && void readMoreConversations(),
    );
    observer.observe(button);
    return () => observer.disconnect();
  }, [hasMore, conversations.value]);
  return (
    <>
      {groups.value.map(({ title, conversations: members }, index) => (
        <section key={title} class="group" aria-labelledby={`group-${index}`}>
          <h2 id={`group-${index}`} class="group-title">
            {title}
          </h2>
          <ul>
            {members.map((conversation) => (
              <ConversationRow key={rootOf(conversation)} conversation={conversation} />
            ))}
          </ul>
        </section>
      ))}
      {hasMore && (
        <button ref={end} type="button" class="link" onClick={() => void readMoreConversations()}>
          Load older chats
        </button>
      )}
    </>
  );
}

/** Menu of the conversation whose button was pressed. */
function RowMenu() {
  const { value: open } = openMenu;
  if (open === undefined) return null;
  const { conversation, anchor } = open;
  const root = rootOf(conversation);
  const save = (format: "markdown" | "json") => () => {
    import("./transfer/save-conversations.js")
      .then(({ saveConversation }) => saveConversation(conversation, format))
      .catch((error: unknown) => {
        listError.value = messageOf(error);
      });
  };
  const exports = [
    { label: "Export as Markdown", icon: "download", onSelect: save("markdown") },
    { label: "Export as JSON", icon: "download", onSelect: save("json") },
  ] as const;
  const pin = () => void togglePin(conversation).then(() => restoreRowFocus(root));
  const changes = [
    { label: isPinned(conversation) ? "Unpin" : "Pin", icon: "pin", onSelect: pin },
    {
      label: "Rename",
      icon: "edit",
      onSelect: () => {
        renamedRoot.value = root;
      },
    },
  ] as const;
  const remove = {
    label: "Delete",
    icon: "remove",
    isDangerous: true,
    onSelect: () => removeWithUndo(conversation),
  } as const;
  return (
    <Menu
      key={root}
      anchor={anchor}
      label={`Actions for ${titleOfConversation(conversation)}`}
      entries={mayWrite() ? [...changes, ...exports, remove] : exports}
      onClose={() => {
        openMenu.value = undefined;
      }}
    />
  );
}

/** Bar that offers to undo deletions. */
function UndoBar() {
  const { value: pending } = pendingDeletion;
  const undo = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus was removed with its conversation.
    if (pending !== undefined && document.activeElement === document.body) undo.current?.focus();
  }, [pending]);
  if (pending === undefined) return null;
  return (
    <div class="undo-bar" onPointerEnter={holdDeletion} onPointerLeave={resumeDeletion}>
      <span>{describePendingDeletion(pending)}</span>
      <button ref={undo} type="button" onClick={undoDeletion}>
        Undo
      </button>
      <IconButton icon="close" label="Dismiss" onClick={() => void finishDeletion()} />
    </div>
  );
}

/** Menu of all conversations, and its dialogs. */
function ListActions() {
  const [anchor, setAnchor] = useState<HTMLElement>();
  const [Dialog, setDialog] = useState<typeof import("./transfer/transfer-dialog.js")>();
  const [dialog, setShown] = useState<"import" | "export" | "remove">();
  const [removed, setRemoved] = useState<number>();
  const openTransfer = (kind: "import" | "export") => {
    import("./transfer/transfer-dialog.js")
      .then((module) => {
        setDialog(module);
        setShown(kind);
      })
      .catch((error: unknown) => {
        listError.value = messageOf(error);
      });
  };
  const exportAll = {
    label: "Export all chats",
    icon: "download",
    onSelect: () => openTransfer("export"),
  } as const;
  const importChats = {
    label: "Import chats",
    icon: "upload",
    onSelect: () => openTransfer("import"),
  } as const;
  const remove = {
    label: "Delete all chats",
    icon: "remove",
    isDangerous: true,
    onSelect: () => setShown("remove"),
  } as const;
  const close = () => setShown(undefined);
  return (
    <>
      <MenuButton
        label="More actions for all chats"
        isOpen={anchor !== undefined}
        onOpen={setAnchor}
      />
      {anchor !== undefined && (
        <Menu
          anchor={anchor}
          label="Actions for all chats"
          entries={mayWrite() ? [importChats, exportAll, remove] : [exportAll]}
          onClose={() => setAnchor(undefined)}
        />
      )}
      {dialog === "import" && Dialog !== undefined && <Dialog.ImportDialog onClose={close} />}
      {dialog === "export" && Dialog !== undefined && <Dialog.ExportDialog onClose={close} />}
      {dialog === "remove" && (
        <ConfirmDialog
          question="Delete all chats?"
          consequence="All your chats on this server, pinned ones included, will be deleted permanently."
          action="Delete all"
          onClose={close}
          onConfirm={() => {
            removeAll(setRemoved)
              .catch((error: unknown) => {
                listError.value = messageOf(error);
              })
              .finally(() => setRemoved(undefined));
          }}
        />
      )}
      {removed !== undefined && (
        <span class="visually-hidden" role="status">{`Deleted ${removed} so far`}</span>
      )}
    </>
  );
}
