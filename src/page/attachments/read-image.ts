import { type Attachment, AttachmentError, toDataUrl } from "./attachment.js";

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

/** @throws {AttachmentError} if the browser cannot read the file as an image */
export async function readImage(file: File): Promise<Attachment> {
  const { name, type } = file;
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) {
    throw new AttachmentError(
      `${name} cannot be read as an image: it is damaged, or of a format that this browser does not know.`,
    );
  }
  try {
    const { width, height } = bitmap;
    const isSmall = Math.max(width, height) <= MAX_SIDE_PIXELS && file.size <= MAX_BYTES;
    const blob = isSmall && SUPPORTED_TYPES.has(type) ? file : await redraw(bitmap, type);
    const part = { type: "input_image", image_url: await toDataUrl(blob) } as const;
    return { kind: "image", name, bytes: blob.size, parts: [part] };
  } finally {
    bitmap.close();
  }
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
