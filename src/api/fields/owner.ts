/**
 * Owner of stored data: the name of the API key that created it. All keys
 * with that name share the owner, so that a key can be rotated. Empty: the server has no keys, and
 * all clients share everything.
 */
export type Owner = string;

/** Returns the owner whose data a request may read and create. */
export function ownerOf({ keyName }: { readonly keyName: string | undefined }): Owner {
  return keyName ?? "";
}
