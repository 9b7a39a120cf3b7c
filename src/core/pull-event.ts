/** Pause before the next attempt. */
export interface Retry {
  readonly reason: string;
  readonly delayMs: number;
}

/** Role of a file in its model. */
export type FileRole = "model" | "projector" | "adapter" | "text";

/** File of a pull, as reported in events. */
export interface PulledFile {
  /** Path relative to ggufd's model folder, with `/` between segments. */
  readonly path: string;
  readonly role: FileRole;
  /** Size of the file; `undefined`: not reported by the source yet. */
  readonly sizeBytes: number | undefined;
  /** SHA-256 in hexadecimal digits; `undefined`: the source provides none. */
  readonly sha256: string | undefined;
}

/** Events of a file transfer, sent to every pull that waits for the file. */
export type TransferEvent =
  /** Another process is downloading the file; the transfer waits for it. */
  | { readonly type: "waiting"; readonly path: string; readonly reason: string }
  /** `checking`: the partial file of an interrupted transfer is read again. */
  | {
      readonly type: "checking" | "progress";
      readonly path: string;
      readonly completedBytes: number;
      readonly totalBytes: number | undefined;
    }
  | ({ readonly type: "retrying"; readonly path: string } & Retry)
  /** The partial file is unusable; the transfer starts over. */
  | { readonly type: "restarting"; readonly path: string; readonly reason: string }
  /** `length`: the source provides no digest to compare with. */
  | { readonly type: "stored"; readonly path: string; readonly verifiedBy: "sha256" | "length" };

/** Progress events of a pull. Plain data. */
export type PullEvent =
  | { readonly type: "resolving"; readonly name: string }
  | ({ readonly type: "retrying"; readonly path: undefined } & Retry)
  | { readonly type: "resolved"; readonly name: string; readonly files: readonly PulledFile[] }
  /** The file already exists and matches the source. */
  | { readonly type: "present"; readonly path: string }
  | TransferEvent;
