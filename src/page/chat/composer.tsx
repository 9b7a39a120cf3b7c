import { useEffect, useRef, useState } from "preact/hooks";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { Icon, IconButton } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { submitOnEnter } from "../parts/submit-on-enter.js";
import { useKeptText } from "../parts/use-kept-text.js";
import { type Attachment, AttachmentError, filesOf, readAttachment } from "./attachments.js";
import { rootOf } from "./branches.js";
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
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [errorMessage, setErrorMessage] = useState<string>();
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const live = conversation && liveAnswers.value.get(conversation.id);
  const takesImages = currentModel()?.architecture.input_modalities.includes("image") ?? false;
  const isEmpty = text.trim() === "" && attachments.length === 0;

  useEffect(() => field.current?.focus(), []);
  useEffect(() => fitHeight(field.current), [text]);

  const attach = async (files: readonly File[]) => {
    if (files.length === 0) return;
    if (!takesImages) {
      setErrorMessage("This model does not accept images, or is not loaded yet.");
      return;
    }
    try {
      const added = await Promise.all(files.map(readAttachment));
      setAttachments((before) => [...before, ...added]);
      setErrorMessage(undefined);
      announce(added.length === 1 ? "Image attached" : `${added.length} images attached`);
    } catch (error) {
      if (!(error instanceof AttachmentError)) throw error;
      setErrorMessage(error.message);
    }
  };
  const send = async () => {
    if (isEmpty || isSending || live !== undefined) return;
    setSending(true);
    setErrorMessage(undefined);
    try {
      await ask(text.trim(), attachments);
      // Text typed in the meantime belongs to the next question.
      if ((field.current?.value ?? text) === text) setText("");
      setAttachments([]);
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
        void send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach(filesOf(event.dataTransfer));
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
      {attachments.length > 0 && (
        <ul class="attachments" aria-label="Attached images">
          {attachments.map((attachment) => (
            <li key={attachment.url}>
              <img src={attachment.url} alt={attachment.name} />
              <IconButton
                icon="close"
                label={`Remove ${attachment.name}`}
                onClick={() => setAttachments((all) => all.filter((one) => one !== attachment))}
              />
            </li>
          ))}
        </ul>
      )}
      <ContextMeter conversation={conversation} draft={text} />
      <div class="composer-row">
        <ToolsMenu />
        {takesImages && (
          <>
            <IconButton
              icon="attach"
              label="Attach images"
              onClick={() => fileInput.current?.click()}
            />
            <input
              ref={fileInput}
              type="file"
              accept="image/*"
              multiple
              hidden
              aria-label="Images"
              onChange={({ currentTarget }) => {
                void attach([...(currentTarget.files ?? [])]);
                currentTarget.value = "";
              }}
            />
          </>
        )}
        <textarea
          ref={field}
          rows={1}
          aria-label="Your message"
          placeholder="Ask anything"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={submitOnEnter}
          onPaste={(event) => {
            const files = filesOf(event.clipboardData);
            if (files.length === 0) return;
            event.preventDefault();
            void attach(files);
          }}
        />
        {live === undefined ? (
          <button
            type="submit"
            class="primary send"
            disabled={isEmpty || isSending}
            aria-label="Send"
          >
            <Icon name="send" />
          </button>
        ) : (
          <button
            type="button"
            class="send"
            aria-label="Stop generating"
            disabled={live.responseId === undefined}
            onClick={() => conversation !== undefined && void stopAnswer(conversation.id)}
          >
            <Icon name="stop" />
          </button>
        )}
      </div>
    </form>
  );
}

/** Fits a field's height to its text, up to the maximum of the style sheet. */
function fitHeight(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}
