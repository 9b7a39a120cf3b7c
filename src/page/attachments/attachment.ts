import type { MediaKind } from "../../core/media.js";

/** Part of a message that holds a file, as sent. */
export type FilePart =
  | { readonly type: "input_image"; readonly image_url: string }
  | {
      readonly type: "input_file";
      readonly filename?: string | undefined;
      readonly file_data: string;
    }
  | { readonly type: "input_audio"; readonly input_audio: AudioData };

/** Audio of a message: in base64, or by its URL. */
export interface AudioData {
  readonly data?: string | undefined;
  readonly url?: string | undefined;
  readonly format?: string | undefined;
}

/** Audio formats that the server reads. */
export type AudioFormat = "wav" | "mp3" | "flac";

/** A file attached to the next question. */
export interface Attachment {
  readonly kind: "image" | "document" | "audio";
  readonly name: string;
  /** Size of the content to send. */
  readonly bytes: number;
  /** Estimated tokens of its text; absent: only the model's projector knows. */
  readonly tokens?: number;
  /** Content that was left out or converted. */
  readonly note?: string | undefined;
  /** The parts to send, in order. */
  readonly parts: readonly FilePart[];
}

/** How a file is read. */
export interface ReadOptions {
  /** Kinds of input that the model accepts in addition to text. */
  readonly accepts: ReadonlySet<MediaKind>;
  /** Receives the state of a long reading, such as "page 3 of 12". */
  readonly onProgress: (state: string) => void;
  /** Aborts the reading. */
  readonly signal: AbortSignal;
}

/** A file cannot be attached; the message is shown to the user. */
export class AttachmentError extends Error {
  override readonly name = "AttachmentError";
}

/** Returns the files among dropped or pasted data. */
export function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])];
}

/**
 * Whether an image may be shown: only images embedded in the conversation, as others would be
 * fetched from elsewhere.
 */
export function isShownImage(url: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|bmp|webp|avif);base64,/.test(url);
}

/** Returns the file as a `data:` URL. @param type media type in the URL; absent: that of the file */
export function toDataUrl(blob: Blob, type = blob.type): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new AttachmentError("The file cannot be read."));
    reader.readAsDataURL(blob.slice(0, blob.size, type));
  });
}

/** Returns the content of a file in base64. */
export async function toBase64(blob: Blob): Promise<string> {
  const url = await toDataUrl(blob);
  return url.slice(url.indexOf(",") + 1);
}
