/** What a model may be given beside text. */
export type MediaKind = "image" | "audio";

/** A file of a request, of any format that the decoders know. */
export interface MediaFile {
  readonly type: "file";
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, in hexadecimal: what the cache knows it by. */
  readonly hash: string;
}

/** Where the content of media is to be found, as a client has written it. */
export type MediaSource =
  /** `data:` or `https:`. */
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "base64"; readonly text: string };

/** Cells of a prompt that an image or a piece of audio takes. They depend on each other, and are shared as a whole. */
export interface MediaCells {
  readonly type: "media";
  /** Of the content, and of the place in it. */
  readonly hash: string;
  /** At least one. */
  readonly cells: number;
  /** By how much they advance the position of what follows: `cells`, or fewer with M-RoPE. */
  readonly positions: number;
}

/** Media in a prompt, and the cell that they begin at. */
export interface PlacedMedia extends Omit<MediaCells, "type"> {
  readonly start: number;
}

/** Stands in the cells of media, among tokens, and is none. */
export const MEDIA_CELL = -1;

/** Adds media behind the last cell of a prompt. */
export function placeMedia(
  prompt: { readonly cells: number[]; readonly media: PlacedMedia[] },
  { hash, cells, positions }: MediaCells,
): void {
  prompt.media.push({ hash, cells, positions, start: prompt.cells.length });
  for (let cell = 0; cell < cells; cell++) prompt.cells.push(MEDIA_CELL);
}

/** Stands for media in a text, as in llama.cpp (`mtmd_default_marker`). */
export const MEDIA_MARKER = "<__media__>";

/** What the projector makes of a file: cells, and the tokens around them. */
export interface DividedMedia {
  readonly type: "divided";
  readonly segments: readonly (
    | MediaCells
    | { readonly type: "tokens"; readonly tokens: readonly number[] }
  )[];
}

/**
 * An image or a piece of audio in a message. A dialect gives its source, which is read before the request is prepared
 * (`media/`), and the engine divides it into cells before it is tokenised.
 */
export interface MediaPart {
  readonly type: "media";
  /** Absent: the content tells. */
  readonly kind?: MediaKind;
  /** Of the request, for errors. */
  readonly field: string;
  readonly content: MediaSource | MediaFile | DividedMedia;
}

/** A part of a message, or of a text that the model continues. */
export type ContentPart = { readonly type: "text"; readonly text: string } | MediaPart;

/** What a message says: a text, or media among texts. Neighbouring parts are never both texts. */
export type MessageContent = string | readonly ContentPart[];

/**
 * The content of parts. Texts that follow each other are joined; there is nothing between a text and media, as in
 * llama.cpp (`common_chat_msg::to_json_oaicompat`).
 */
export function joinedContent(parts: readonly ContentPart[], separator: string): MessageContent {
  const joined: ContentPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text") {
      joined[joined.length - 1] = { type: "text", text: `${last.text}${separator}${part.text}` };
    } else {
      joined.push(part);
    }
  }
  const [first] = joined;
  if (first === undefined) return "";
  return joined.length === 1 && first.type === "text" ? first.text : joined;
}

/** The parts of a content. */
export function partsOf(content: MessageContent): readonly ContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The media of a content, in their order. */
export function mediaOf(content: MessageContent): readonly MediaPart[] {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "media");
}

/** Characters of the texts of a content. */
export function charactersOfContent(content: MessageContent): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}
