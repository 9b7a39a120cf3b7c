/**
 * To whom a stored response or conversation belongs: the name of the API key that made it. Whoever has a key of
 * that name has it too, so that a key can be replaced. Empty: the server has no keys, and everybody shares.
 */
export type Owner = string;

export function ownerOf({ keyName }: { readonly keyName: string | undefined }): Owner {
  return keyName ?? "";
}
