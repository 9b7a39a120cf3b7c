/** What has to be freed. */
export interface Disposable {
  dispose(): Promise<void>;
}

/** Frees the dependent parts first: otherwise the library hangs. */
export async function disposeAll(parts: readonly Disposable[]): Promise<void> {
  for (const part of parts) await part.dispose();
}
