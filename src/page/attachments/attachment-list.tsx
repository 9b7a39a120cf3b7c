import { formatBytes } from "../../live-metrics/units.js";
import { Icon, IconButton } from "../parts/icon.js";
import { Notice } from "../parts/notice.js";
import { ProgressBar } from "../parts/progress-bar.js";
import type { Attachment } from "./attachment.js";
import { PlayButton } from "./play-button.js";
import { findContextProblem } from "./token-estimate.js";
import type { Attachments } from "./use-attachments.js";

interface AttachmentListProps {
  readonly attachments: Attachments;
  /** Tokens of the model's context; `undefined`: unknown. */
  readonly context: number | undefined;
}

/** The files attached to the next question, also files that are being read or were refused. */
export function AttachmentList({ attachments, context }: AttachmentListProps) {
  const { list, reading, errorMessage, report, remove, cancel } = attachments;
  const tokens = list.reduce((sum, attachment) => sum + (attachment.tokens ?? 0), 0);
  const problem = findContextProblem(tokens, context);
  return (
    <>
      {errorMessage !== undefined && (
        <Notice message={errorMessage}>
          <button type="button" onClick={() => report(undefined)}>
            Dismiss
          </button>
        </Notice>
      )}
      {list.length > 0 && (
        <ul class="attachments" aria-label="Attached files">
          {list.map((attachment, index) => (
            <Chip key={index} attachment={attachment} onRemove={() => remove(attachment)} />
          ))}
        </ul>
      )}
      {reading !== undefined && (
        <div class="attachment-progress">
          <span>Reading {reading}</span>
          <ProgressBar label={`Reading ${reading}`} />
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </div>
      )}
      {problem !== undefined && (
        <p class="context-warning" role="status">
          {problem}
        </p>
      )}
    </>
  );
}

interface ChipProps {
  readonly attachment: Attachment;
  readonly onRemove: () => void;
}

function Chip({ attachment, onRemove }: ChipProps) {
  const { kind, name, bytes, tokens, note, parts } = attachment;
  const [first] = parts;
  const facts = [
    formatBytes(bytes),
    tokens !== undefined && `about ${tokens.toLocaleString()} tokens`,
  ].filter((fact) => fact !== false);
  return (
    <li class={`attachment ${kind}`}>
      {first?.type === "input_image" ? (
        <img src={first.image_url} alt="" />
      ) : (
        <Icon name={kind === "audio" ? "microphone" : "document"} />
      )}
      <span class="attachment-text">
        <span class="attachment-name">{name}</span>
        <span class="hint">{facts.join(" · ")}</span>
        {note !== undefined && <span class="hint">{note}</span>}
      </span>
      {first?.type === "input_audio" && <PlayButton name={name} audio={first.input_audio} />}
      <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />
    </li>
  );
}
