/** A pause before the next attempt. */
export interface Retry {
  readonly reason: string;
  readonly delayMs: number;
}

/** What a file is to its model. */
export type FileRole = "model" | "projector" | "adapter" | "text";

/** A file of a pull, as events tell of it. */
export interface PulledFile {
  /** Below ggufd's folder of models, `/` between its segments. */
  readonly path: string;
  readonly role: FileRole;
  /** `undefined`: the source has not said yet. */
  readonly sizeBytes: number | undefined;
  /** SHA-256 in hexadecimal digits; `undefined`: the source has none. */
  readonly sha256: string | undefined;
}

/** What a transfer of one file tells all who wait for it. */
export type TransferEvent =
  /** Another process has the file: it is waited for. */
  | { readonly type: "waiting"; readonly path: string; readonly reason: string }
  /** `checking` is reading again what an interrupted transfer has left. */
  | {
      readonly type: "checking" | "progress";
      readonly path: string;
      readonly completedBytes: number;
      readonly totalBytes: number | undefined;
    }
  | ({ readonly type: "retrying"; readonly path: string } & Retry)
  /** What was there is of no use: the transfer begins again. */
  | { readonly type: "restarting"; readonly path: string; readonly reason: string }
  /** `length`: the source has no digest to compare with. */
  | { readonly type: "stored"; readonly path: string; readonly verifiedBy: "sha256" | "length" };

/** What a pull tells while it goes on. Plain data. */
export type PullEvent =
  | { readonly type: "resolving"; readonly name: string }
  | ({ readonly type: "retrying"; readonly path: undefined } & Retry)
  | { readonly type: "resolved"; readonly name: string; readonly files: readonly PulledFile[] }
  /** The file is there already, as the source has it. */
  | { readonly type: "present"; readonly path: string }
  | TransferEvent;
