/** An item of a stream whose JSON text, in one line, is there already. */
export class PrintedItem {
  readonly json: string;
  /** An item of the same kind. */
  readonly like: object;

  constructor(json: string, like: object) {
    this.json = json;
    this.like = like;
  }
}
