import { useEffect, useRef, useState } from "preact/hooks";
import type { MediaKind } from "../../core/media.js";
import { messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { type Attachment, AttachmentError } from "./attachment.js";

/** The files attached to the next question of a composer. */
export interface Attachments {
  readonly list: readonly Attachment[];
  /** Kinds of input that the model accepts in addition to text. */
  readonly accepts: ReadonlySet<MediaKind>;
  /** The file that is being read, with the state of reading. */
  readonly reading: string | undefined;
  /** Why the last files were not attached. */
  readonly errorMessage: string | undefined;
  readonly attach: (files: readonly File[]) => Promise<void>;
  readonly remove: (attachment: Attachment) => void;
  readonly cancel: () => void;
  /** Removes the files, which have been sent. */
  readonly clear: () => void;
  readonly report: (message: string | undefined) => void;
}

/** @param accepts kinds of input that the model accepts in addition to text */
export function useAttachments(accepts: ReadonlySet<MediaKind>): Attachments {
  const [list, setList] = useState<readonly Attachment[]>([]);
  const [reading, setReading] = useState<string>();
  const [errorMessage, setErrorMessage] = useState<string>();
  const abort = useRef<AbortController>(undefined);
  const queue = useRef(Promise.resolve());
  useEffect(() => () => abort.current?.abort(), []);

  const read = async (file: File) => {
    const controller = new AbortController();
    abort.current = controller;
    const { signal } = controller;
    setReading(file.name);
    const onProgress = (state: string) => setReading(`${file.name}: ${state}`);
    try {
      const { readAttachment } = await loadReaders();
      const attachment = await readAttachment(file, { accepts, onProgress, signal });
      signal.throwIfAborted();
      setList((before) => [...before, attachment]);
      announce(`Attached ${file.name}. ${attachment.note ?? ""}`.trim());
    } catch (error) {
      if (signal.aborted) return;
      const reason = error instanceof AttachmentError ? error.message : unreadable(file, error);
      setErrorMessage((before) => (before === undefined ? reason : `${before} ${reason}`));
    } finally {
      setReading(undefined);
    }
  };
  // Files are read one by one, and stay in the order in which they were attached.
  const attach = (files: readonly File[]) => {
    if (files.length === 0) return queue.current;
    setErrorMessage(undefined);
    for (const file of files) queue.current = queue.current.then(() => read(file));
    return queue.current;
  };
  return {
    list,
    accepts,
    reading,
    errorMessage,
    attach,
    remove: (attachment) => {
      setList((all) => all.filter((one) => one !== attachment));
      announce(`Removed ${attachment.name}`);
    },
    cancel: () => abort.current?.abort(),
    clear: () => setList([]),
    report: setErrorMessage,
  };
}

function unreadable({ name }: File, error: unknown): string {
  return `${name} could not be read: ${messageOf(error)}.`;
}

async function loadReaders() {
  try {
    return await import("./read-attachment.js");
  } catch {
    throw new AttachmentError(
      "The reader of files could not be loaded. Check the connection to the server, and attach the file again.",
    );
  }
}
