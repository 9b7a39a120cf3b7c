/** Purpose of a stored file. `message_batch`: requests and results of Anthropic's batches. */
export type FilePurpose = "batch" | "batch_output" | "user_data" | "message_batch";

/** A stored file without its content. Times are in milliseconds since 1970. */
export interface StoredFile {
  readonly id: string;
  readonly owner: string;
  readonly filename: string;
  readonly purpose: FilePurpose;
  readonly bytes: number;
  readonly createdAt: number;
  /** Absent: the file expires at the longest lifetime. */
  readonly expiresAt?: number;
}
