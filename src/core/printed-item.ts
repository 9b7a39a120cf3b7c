/** Stream item that is already serialised as JSON text, in one line. */
export class PrintedItem {
  readonly json: string;
  /** Item of the same kind, from which the stream format derives the prefix. */
  readonly like: object;

  constructor(json: string, like: object) {
    this.json = json;
    this.like = like;
  }
}
