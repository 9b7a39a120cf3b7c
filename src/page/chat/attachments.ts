/** An image that goes with the next question. */
export interface Attachment {
  readonly name: string;
  /** A `data:` URL. */
  readonly url: string;
}

/** What the server reads; other images are made into one of these. */
const READ_TYPES = new Set(
  ["png", "jpeg", "gif", "bmp", "webp", "avif"].map((format) => `image/${format}`),
);

/** Longer sides say nothing more to a model, and fill the conversation. */
const MAX_SIDE_PIXELS = 2048;
const JPEG_QUALITY = 0.9;
/** As they are; larger ones are made smaller. */
const MAX_BYTES = 4 * 2 ** 20;

/** Why a file is no attachment, for users. */
export class AttachmentError extends Error {
  override readonly name = "AttachmentError";
}

/**
 * An image of a file that a user has chosen, dropped or pasted.
 * @throws {AttachmentError} it is no image that the browser can read
 */
export async function attachmentOf(file: File): Promise<Attachment> {
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
    const blob = isSmall && READ_TYPES.has(type) ? file : await redrawn(bitmap, type);
    return { name, url: await dataUrlOf(blob) };
  } finally {
    bitmap.close();
  }
}

/** The images among what was dropped or pasted. */
export function filesOf(data: DataTransfer | null): readonly File[] {
  return [...(data?.files ?? [])];
}

async function redrawn(bitmap: ImageBitmap, type: string): Promise<Blob> {
  const scale = Math.min(1, MAX_SIDE_PIXELS / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new AttachmentError("This browser cannot draw the image.");
  // JPEG has no transparency, and drawings suffer from it.
  const isDrawing = type === "image/png" || type === "image/svg+xml";
  context.drawImage(bitmap, 0, 0, width, height);
  return canvas.convertToBlob(
    isDrawing ? { type: "image/png" } : { type: "image/jpeg", quality: JPEG_QUALITY },
  );
}

function dataUrlOf(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new AttachmentError("The file cannot be read."));
    reader.readAsDataURL(blob);
  });
}

/** Images that may be shown: those that are in the conversation itself. Others would be fetched from elsewhere. */
export function isShownImage(url: string): boolean {
  return /^data:image\/(?:png|jpeg|gif|bmp|webp|avif);base64,/.test(url);
}
