import { useLayoutEffect, useRef } from "preact/hooks";
import type { StoredItem } from "../../api/responses/item-schema.js";
import type { ConversationObject } from "../../api/responses/response-schema.js";
import { CopyButton } from "../parts/copy-button.js";
import { hasKey } from "../session.js";
import { settingsOf, toRequestFields } from "./chat-settings.js";
import { buildRequest, formatCurl, formatRequest, shortenUrls } from "./request-text.js";
import { withServerTools } from "./tool-servers.js";

interface RequestDialogProps {
  readonly conversation: ConversationObject;
  /** Items before the answer. */
  readonly before: readonly StoredItem[];
  /** Model that answered; absent: unknown. */
  readonly model: string | undefined;
  readonly onClose: () => void;
}

/** The request of an answer, for developers of programs that use the API. */
export function RequestDialog({ conversation, before, model, onClose }: RequestDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const settings = settingsOf(conversation);
  const fields = toRequestFields(model === undefined ? settings : { ...settings, model });
  const request = buildRequest(before, withServerTools(fields, conversation.metadata));
  const origin = location.origin + location.pathname.replace(/\/+$/, "");
  return (
    <dialog ref={dialog} class="request-dialog" aria-labelledby="request-title" onClose={onClose}>
      <form method="dialog">
        <h2 id="request-title">Request</h2>
        <p class="hint">
          The body of <code>POST /v1/responses</code> that generates this answer, with the present
          chat settings. See the <a href="./docs">API</a>.
        </p>
        <RequestText title="JSON" text={formatRequest(request)} />
        <RequestText title="curl" text={formatCurl(request, { origin, hasKey: hasKey.value })} />
        <div class="actions">
          <button type="submit">Close</button>
        </div>
      </form>
    </dialog>
  );
}

function RequestText({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{title}</span>
        <CopyButton text={text} label={`Copy ${title}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable with the keyboard */}
      <pre tabIndex={0}>
        <code>{shortenUrls(text)}</code>
      </pre>
    </figure>
  );
}
