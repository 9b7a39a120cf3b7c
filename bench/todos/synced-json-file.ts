import { open } from "node:fs/promises";
import { JSONFile } from "lowdb/node";

/** lowdb's own adapter for JSON files, with an fsync before each write resolves. */
export class SyncedJsonFile<Data> extends JSONFile<Data> {
  readonly #path: string;

  constructor(path: string) {
    super(path);
    this.#path = path;
  }

  override async write(data: Data): Promise<void> {
    await super.write(data);
    const file = await open(this.#path, "r+");
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
