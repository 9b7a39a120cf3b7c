/** Kind of input that a model may accept in addition to text. */
export type MediaKind = "image" | "audio";

/** File of a request, in any format that the decoders support. */
export interface MediaFile {
  readonly type: "file";
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hexadecimal; used as the cache key. */
  readonly hash: string;
}

/** Source of media content, as the client wrote it. */
export type MediaSource =
  /** URL with the scheme `data:` or `https:`. */
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly text: string };

/**
 * Cells of a prompt that an image or a chunk of audio takes. They depend on each other and are
 * shared only as a whole.
 */
export interface MediaCells {
  readonly type: "media";
  /** Hash of the content and of the position within it. */
  readonly hash: string;
  /** Number of cells, at least 1. */
  readonly cells: number;
  /**
   * Number of positions by which the cells advance the following tokens: `cells`, or fewer with
   * M-RoPE.
   */
  readonly positions: number;
}

/** Media in a prompt, with the index of their first cell. */
export interface PlacedMedia extends Omit<MediaCells, "type"> {
  readonly start: number;
}

/** Placeholder for the cells of media among the tokens of a prompt; not a token id. */
export const MEDIA_CELL = -1;

/** Returns the tokens among the cells of a prompt. */
export function withoutMediaCells(cells: readonly number[]): readonly number[] {
  return cells.filter((cell) => cell !== MEDIA_CELL);
}

/** Appends media to the cells of a prompt. */
export function placeMedia(
  prompt: { readonly cells: number[]; readonly media: PlacedMedia[] },
  { hash, cells, positions }: MediaCells,
): void {
  prompt.media.push({ hash, cells, positions, start: prompt.cells.length });
  for (let cell = 0; cell < cells; cell++) prompt.cells.push(MEDIA_CELL);
}

/** Placeholder for media in a text, as in llama.cpp (`mtmd_default_marker`). */
export const MEDIA_MARKER = "<__media__>";

/** Amount of media, as usage counts it. */
export interface MediaAmount {
  readonly images: number;
  readonly audioSeconds: number;
}

/** Chunks of a media file: KV cache cells for its embeddings, and the text tokens around them. */
export interface ChunkedMedia {
  readonly type: "divided";
  /** Absent: the file was not decoded. */
  readonly amount?: MediaAmount;
  readonly segments: readonly (
    | MediaCells
    | { readonly type: "tokens"; readonly tokens: readonly number[] }
  )[];
}

/**
 * Image or audio in a message. The API dialect provides its source, which is read before the
 * request is prepared (`media/`); the engine splits the file into cells before tokenising.
 */
export interface MediaPart {
  readonly type: "media";
  /** Kind of media; absent: detected from the content. */
  readonly kind?: MediaKind;
  /** Request field, for errors. */
  readonly field: string;
  readonly content: MediaSource | MediaFile | ChunkedMedia;
}

/** Part of a message, or of a text that the model continues. */
export type ContentPart = { readonly type: "text"; readonly text: string } | MediaPart;

/** Content of a message: a text, or media among texts. Adjacent parts are never both texts. */
export type MessageContent = string | readonly ContentPart[];

/**
 * Joins parts into a content. Adjacent texts are joined with the separator; nothing is inserted
 * between a text and media, as in llama.cpp (`common_chat_msg::to_json_oaicompat`).
 */
export function joinContent(parts: readonly ContentPart[], separator: string): MessageContent {
  const joinedParts: ContentPart[] = [];
  for (const part of parts) {
    const last = joinedParts.at(-1);
    if (part.type === "text" && last?.type === "text") {
      joinedParts[joinedParts.length - 1] = {
        type: "text",
        text: `${last.text}${separator}${part.text}`,
      };
    } else {
      joinedParts.push(part);
    }
  }
  const [first] = joinedParts;
  if (first === undefined) return "";
  return joinedParts.length === 1 && first.type === "text" ? first.text : joinedParts;
}

/** Returns the parts of a message's content; a string counts as one text part. */
export function partsOf(content: MessageContent): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Returns the media of a content, in order. */
export function mediaOf(content: MessageContent): readonly MediaPart[] {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "media");
}

/** Returns the number of characters in the texts of a content. */
export function charactersOfContent(content: MessageContent): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
