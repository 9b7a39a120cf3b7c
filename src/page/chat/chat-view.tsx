import { useEffect, useState } from "preact/hooks";
import { followModels } from "../models/model-list.js";
import { ErrorBoundary } from "../parts/error-boundary.js";
import { IconButton } from "../parts/icon.js";
import { lazy } from "../parts/lazy.js";
import { Notice } from "../parts/notice.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { route } from "../route.js";
import { mayWrite } from "../session.js";
import { Composer } from "./composer.js";
import { ConversationList } from "./conversation-list.js";
import { readConversations } from "./conversations.js";
import { ListButton } from "./list-button.js";
import { ModelPicker } from "./model-picker.js";
import { followChanges } from "./other-tabs.js";
import { openThread, readAgain, refreshThread, thread } from "./thread.js";
import { Welcome } from "./welcome.js";

const SettingsDrawer = lazy(async () => (await import("./settings-drawer.js")).SettingsDrawer);
/** Its code, which includes Markdown, is the larger part of the page. */
const ThreadView = lazy(
  async () => (await import("./thread-view.js")).ThreadView,
  <div class="thread" aria-busy="true" />,
);

const LIST_BUTTON_ID = "conversations-button";
const SETTINGS_BUTTON_ID = "settings-button";

/** The view of conversations with models. */
export function ChatView() {
  const { id } = route.value;
  const [isListOpen, setListOpen] = useState(false);
  const [areSettingsOpen, setSettingsOpen] = useState(false);
  useKeptFocus(
    () => document.getElementById("main"),
    () => document.getElementById(SETTINGS_BUTTON_ID),
  );
  useEffect(followModels, []);
  useEffect(ThreadView.preload, []);
  useEffect(() => void readConversations(), []);
  useEffect(() => followChanges((changed) => void refreshThread(changed)), []);
  useEffect(() => {
    void openThread(id);
    setListOpen(false);
  }, [id]);
  return (
    <>
      <ErrorBoundary name="The conversation list">
        <ConversationList
          isOpen={isListOpen}
          onClose={() => {
            setListOpen(false);
            // The button exists only on narrow screens, where the list overlays the conversation.
            document.getElementById(LIST_BUTTON_ID)?.focus();
          }}
        />
      </ErrorBoundary>
      <section class="conversation" aria-label="Conversation">
        <div class="conversation-bar">
          <span class="narrow-only">
            <IconButton
              id={LIST_BUTTON_ID}
              icon="menu"
              label="Conversations"
              expanded={isListOpen}
              onClick={() => setListOpen(!isListOpen)}
            />
          </span>
          <ListButton />
          <ModelPicker />
          <IconButton
            id={SETTINGS_BUTTON_ID}
            icon="settings"
            label="Chat settings"
            expanded={areSettingsOpen}
            onClick={() => setSettingsOpen(!areSettingsOpen)}
          />
        </div>
        <CurrentThread />
      </section>
      {areSettingsOpen && <SettingsDrawer onClose={() => setSettingsOpen(false)} />}
    </>
  );
}

function CurrentThread() {
  const shown = thread.value;
  switch (shown.state) {
    case "reading":
      return <div class="thread" aria-busy="true" />;
    case "missing":
      return (
        <div class="thread">
          <Notice message={shown.reason}>
            <button type="button" onClick={() => void readAgain()}>
              Try again
            </button>
          </Notice>
        </div>
      );
    case "new":
      return (
        <>
          <Welcome />
          {mayWrite() && <Composer key="new" />}
        </>
      );
    case "open":
      return (
        <>
          <ErrorBoundary key={shown.conversation.id} name="This conversation">
            <ThreadView conversation={shown.conversation} items={shown.items} />
          </ErrorBoundary>
          {mayWrite() && <Composer key={shown.conversation.id} conversation={shown.conversation} />}
        </>
      );
  }
}
