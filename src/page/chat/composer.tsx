import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import type { MediaKind } from "../../core/media.js";
import { messageOf } from "../api/api-error.js";
import { filesOf } from "../attachments/attachment.js";
import { AttachmentControls } from "../attachments/attachment-controls.js";
import { AttachmentList } from "../attachments/attachment-list.js";
import { useDroppedFiles } from "../attachments/dropped-files.js";
import { useAttachments } from "../attachments/use-attachments.js";
import { Icon } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { submitOnEnter } from "../parts/submit-on-enter.js";
import { useKeptFocus } from "../parts/use-kept-focus.js";
import { useKeptText } from "../parts/use-kept-text.js";
import { PromptControls } from "../prompts/prompt-controls.js";
import { rootOf } from "./branches.js";
import { focusComposer } from "./composer-field.js";
import { ContextMeter } from "./context-meter.js";
import { currentModel } from "./model-picker.js";
import { ask, isLocked, liveAnswers, stop } from "./thread.js";
import { ToolsMenu } from "./tools-menu.js";

interface ComposerProps {
  /** Absent: the question starts a conversation. */
  readonly conversation?: ConversationObject;
}

const LOCKED_MESSAGE =
  "An answer is being generated in another window. Your message was not sent. Send it when the answer is complete.";

/** Input for a question. Text that could not be sent is kept. */
export function Composer({ conversation }: ComposerProps) {
  const { text, set: setText } = useKeptText(
    `question:${conversation === undefined ? "new" : rootOf(conversation)}`,
  );
  const [errorMessage, setErrorMessage] = useState<string>();
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const live = conversation && liveAnswers.value.get(conversation.id);
  const model = currentModel();
  const attachments = useAttachments(new Set(model?.architecture.input_modalities.filter(isMedia)));
  useDroppedFiles((files) => void attachments.attach(files));
  const isEmpty = text.trim() === "" && attachments.list.length === 0;
  const isBusy = isSending || attachments.reading !== undefined;

  useKeptFocus(
    () => field.current?.form,
    () => field.current,
  );
  useEffect(() => field.current?.focus(), []);
  useEffect(() => fitHeight(field.current), [text]);

  const send = async () => {
    if (isEmpty || isBusy || live !== undefined) return;
    setSending(true);
    setErrorMessage(undefined);
    try {
      await ask(text.trim(), attachments.list);
      // Text typed in the meantime belongs to the next question.
      if ((field.current?.value ?? text) === text) setText("");
      attachments.clear();
    } catch (error) {
      setErrorMessage(isLocked(error) ? LOCKED_MESSAGE : messageOf(error));
    } finally {
      setSending(false);
    }
  };
  const stopAnswer = async (id: string) => {
    try {
      await stop(id);
    } catch (error) {
      setErrorMessage(messageOf(error));
    }
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        focusComposer();
        void send();
      }}
    >
      {errorMessage !== undefined && (
        <Notice message={errorMessage}>
          {!isEmpty && live === undefined && (
            <button type="submit" disabled={isSending}>
              Try again
            </button>
          )}
        </Notice>
      )}
      <AttachmentList attachments={attachments} context={model?.max_model_len} />
      <ContextMeter conversation={conversation} draft={text} />
      <div class="composer-row">
        <ToolsMenu />
        <AttachmentControls attachments={attachments} />
        <PromptControls field={field} text={text} />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label="Your message"
          placeholder="Ask anything"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={submitOnEnter}
          onPaste={(event) => {
            const files = filesOf(event.clipboardData);
            if (files.length === 0) return;
            event.preventDefault();
            void attachments.attach(files);
          }}
        />
        {live === undefined ? (
          <button
            key="send"
            type="submit"
            class="primary send"
            disabled={isEmpty || isBusy}
            aria-label="Send"
          >
            <Icon name="send" />
          </button>
        ) : (
          <button
            key="stop"
            type="button"
            class="send"
            aria-label="Stop generating"
            disabled={live.responseId === undefined}
            onClick={({ isTrusted }) => {
              // The click of a shortcut leaves the focus where it is.
              if (isTrusted) focusComposer();
              if (conversation !== undefined) void stopAnswer(conversation.id);
            }}
          >
            <Icon name="stop" />
          </button>
        )}
      </div>
    </form>
  );
}

function isMedia(modality: string): modality is MediaKind {
  return modality === "image" || modality === "audio";
}

/** Fits a field's height to its text, up to the maximum of the style sheet. */
function fitHeight(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}
