/** Time in which a browser has begun to save a file, in milliseconds. */
const KEPT_MS = 60_000;

/** Saves data as a file of the browser. */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
