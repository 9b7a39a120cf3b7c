import { computed, signal, useComputed } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { memo } from "../parts/memo.js";
import { MenuButton } from "../parts/menu.js";
import { Notice } from "../parts/notice.js";
import { useAction } from "../parts/use-action.js";
import { route, toHash } from "../route.js";
import { rootOf } from "./branches.js";
import { titleOfConversation } from "./chat-settings.js";
import { rename } from "./conversation-actions.js";
import { knownRootOf } from "./conversations.js";
import { liveAnswers, thread } from "./thread.js";

/** Root of the family that is shown. */
const shownRoot = computed(() => {
  const { id } = route.value;
  const shown = thread.value;
  if (id === undefined) return undefined;
  return shown.state === "open" && shown.conversation.id === id
    ? rootOf(shown.conversation)
    : knownRootOf(id);
});

/** Ids of the conversations with an answer in progress; equal while these answers grow. */
const answeringIds = computed(() => [...liveAnswers.value.keys()].join(" "));

const answeringRoots = computed(
  () => new Set(answeringIds.value.split(" ").map((id) => knownRootOf(id))),
);

/** Root of the family that is being renamed. */
export const renamedRoot = signal<string | undefined>(undefined);

/** The open menu of a conversation. */
interface OpenMenu {
  readonly conversation: ConversationObject;
  /** Button that opened it. */
  readonly anchor: HTMLElement;
}

export const openMenu = signal<OpenMenu | undefined>(undefined);

interface RowProps {
  /** Latest of its branches. */
  readonly conversation: ConversationObject;
}

/** A conversation in the list. */
export const ConversationRow = memo<RowProps>(
  Row,
  (one, other) => one.conversation === other.conversation,
);

function Row({ conversation }: RowProps) {
  const root = rootOf(conversation);
  const isShown = useComputed(() => shownRoot.value === root).value;
  const isAnswering = useComputed(() => answeringRoots.value.has(root)).value;
  const isRenamed = useComputed(() => renamedRoot.value === root).value;
  const isMenuOpen = useComputed(
    () => openMenu.value !== undefined && rootOf(openMenu.value.conversation) === root,
  ).value;
  const title = titleOfConversation(conversation);
  if (isRenamed) {
    return (
      <li class="entry" data-root={root}>
        <TitleField conversation={conversation} title={title} />
      </li>
    );
  }
  return (
    <li class="entry" data-root={root}>
      <a
        href={toHash({ view: "chat", id: conversation.id })}
        aria-current={isShown ? "true" : undefined}
        title={title}
      >
        {title}
        {isAnswering && <span class="badge">answering</span>}
      </a>
      <MenuButton
        label={`More actions for ${title}`}
        isOpen={isMenuOpen}
        onOpen={(anchor) => {
          openMenu.value = { conversation, anchor };
        }}
      />
    </li>
  );
}

/** Focuses the button of a conversation if its row was replaced while it had the focus. */
export function restoreRowFocus(root: string): void {
  if (document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>(`[data-root="${CSS.escape(root)}"] .more`)?.focus();
}

interface TitleFieldProps extends RowProps {
  readonly title: string;
}

const MAX_TITLE_CHARACTERS = 200;

/** Title that is being edited: Enter or leaving the field saves it, Escape restores it. */
function TitleField({ conversation, title }: TitleFieldProps) {
  const [text, setText] = useState(title);
  const action = useAction();
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const root = rootOf(conversation);
  const end = () => {
    renamedRoot.value = undefined;
    requestAnimationFrame(() => restoreRowFocus(root));
  };
  const save = () => {
    if (renamedRoot.value !== root) return;
    const changed = text.trim();
    if (changed === "" || changed === title) return end();
    action.run(async () => {
      await rename(conversation, changed);
      end();
    });
  };
  return (
    <div class="title-field">
      <input
        ref={field}
        aria-label="Title"
        value={text}
        maxLength={MAX_TITLE_CHARACTERS}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.isComposing) return;
          if (event.key === "Enter") save();
          else if (event.key === "Escape") {
            // Keeps the list open on narrow screens.
            event.stopPropagation();
            end();
          }
        }}
      />
      {action.errorMessage !== undefined && <Notice message={action.errorMessage} />}
    </div>
  );
}
