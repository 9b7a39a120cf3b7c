/** An image attached to the next question. */
export interface Attachment {
  readonly name: string;
  /** A `data:` URL. */
  readonly url: string;
}

/** Image types that the server reads; others are converted to one of them. */
const SUPPORTED_TYPES = new Set(
  ["png", "jpeg", "gif", "bmp", "webp", "avif"].map((format) => `image/${format}`),
);

/**
 * Maximum length of a side: models gain nothing from larger images, which fill the conversation.
 */
const MAX_SIDE_PIXELS = 2048;
const JPEG_QUALITY = 0.9;
/** Maximum size of an unmodified file; larger images are scaled down. */
const MAX_BYTES = 4 * 2 ** 20;

/** A file cannot be attached; the message is shown to the user. */
export class AttachmentError extends Error {
  override readonly name = "AttachmentError";
}

/**
 * Converts a file that a user has chosen, dropped or pasted to an attachment.
 * @throws {AttachmentError} if the browser cannot read the file as an image
 */
export async function readAttachment(file: File): Promise<Attachment> {
  const { name, type } = file;
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) {
    throw new AttachmentError(
      `${name}: expected an image, got ${type || "a file of no known type"}.`,
    );
  }
  try {
    const { width, height } = bitmap;
    const isSmall = Math.max(width, height) <= MAX_SIDE_PIXELS && file.size <= MAX_BYTES;
    const blob = isSmall && SUPPORTED_TYPES.has(type) ? file : await redraw(bitmap, type);
    return { name, url: await readAsDataUrl(blob) };
  } finally {
    bitmap.close();
  }
}

/** Returns the files among dropped or pasted data. */
export function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])];
}

async function redraw(bitmap: ImageBitmap, type: string): Promise<Blob> {
  const scale = Math.min(1, MAX_SIDE_PIXELS / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new AttachmentError("This browser cannot draw the image.");
  // JPEG has no transparency, and distorts drawings.
  const isDrawing = type === "image/png" || type === "image/svg+xml";
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas.convertToBlob(
    isDrawing ? { type: "image/png" } : { type: "image/jpeg", quality: JPEG_QUALITY },
  );
}

function readAsDataUrl(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new AttachmentError("The file cannot be read."));
    reader.readAsDataURL(blob);
  });
}

/**
 * Whether an image may be shown: only images embedded in the conversation, as others would be
 * fetched from elsewhere.
 */
export function isShownImage(url: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|bmp|webp|avif);base64,/.test(url);
}
