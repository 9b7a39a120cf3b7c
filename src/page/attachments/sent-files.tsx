import { fileNameOf } from "../chat/turns.js";
import { Icon } from "../parts/icon.js";
import { type FilePart, isShownImage } from "./attachment.js";
import { PlayButton } from "./play-button.js";

/** The files of a sent question. */
export function SentFiles({ files }: { readonly files: readonly FilePart[] }) {
  const images = files.flatMap((file) => (file.type === "input_image" ? [file.image_url] : []));
  const documents = files.filter((file) => file.type === "input_file");
  const audio = files.flatMap((file) => (file.type === "input_audio" ? [file.input_audio] : []));
  return (
    <>
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
      {documents.length > 0 && (
        <ul class="attachments" aria-label="Files">
          {documents.map((file, index) => (
            <li key={index} class="attachment">
              <Icon name="document" />
              <span class="attachment-name">{fileNameOf(file)}</span>
            </li>
          ))}
        </ul>
      )}
      {audio.length > 0 && (
        <ul class="attachments" aria-label="Audio">
          {audio.map((one, index) => (
            <li key={index} class="attachment">
              <Icon name="microphone" />
              <span class="attachment-name">{one.url ?? `Audio ${index + 1}`}</span>
              <PlayButton name={`audio ${index + 1}`} audio={one} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
