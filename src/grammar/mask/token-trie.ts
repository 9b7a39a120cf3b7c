/** A token of a vocabulary that has text. */
export interface TextToken {
  readonly id: number;
  readonly bytes: Uint8Array;
}

/**
 * The tokens of a vocabulary by their bytes. Its nodes are numbers in the order of a depth-first walk: the
 * children of a node follow it, and `end[node]` is the first node that is not below it. Node 0 is the root.
 */
export interface TokenTrie {
  readonly nodes: number;
  readonly byte: Uint8Array;
  /** Number of bytes that lead to a node. */
  readonly depth: Uint16Array;
  readonly end: Int32Array;
  /** Bytes on the longest way down from a node. */
  readonly height: Uint16Array;
  /** Tokens in the order of their bytes. */
  readonly tokens: Int32Array;
  /** The tokens of a node are those from its `firstToken` to before the next node's. */
  readonly firstToken: Int32Array;
  /** The highest id of any token, and one. */
  readonly vocabularySize: number;
}

/** Builds the trie of a vocabulary. Tokens without text are left out. */
export function buildTokenTrie(vocabulary: Iterable<TextToken>, vocabularySize: number): TokenTrie {
  const sorted = [...vocabulary]
    .filter(({ bytes }) => bytes.length > 0)
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  const capacity = 1 + sorted.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const byte = new Uint8Array(capacity);
  const depth = new Uint16Array(capacity);
  const end = new Int32Array(capacity);
  const height = new Uint16Array(capacity);
  const firstToken = new Int32Array(capacity + 1);
  const path = [0];
  let nodes = 1;
  let previous: Uint8Array = new Uint8Array();
  for (const [index, { bytes }] of sorted.entries()) {
    let shared = 0;
    while (shared < previous.length && previous[shared] === bytes[shared]) shared++;
    for (const closed of path.splice(shared + 1)) end[closed] = nodes;
    for (const [above, node] of path.entries()) {
      height[node] = Math.max(height[node] ?? 0, bytes.length - above);
    }
    for (let position = shared; position < bytes.length; position++) {
      byte[nodes] = bytes[position] ?? 0;
      depth[nodes] = position + 1;
      height[nodes] = bytes.length - position - 1;
      firstToken[nodes] = index;
      path.push(nodes++);
    }
    previous = bytes;
  }
  for (const open of path) end[open] = nodes;
  firstToken[nodes] = sorted.length;
  return {
    nodes,
    byte: byte.slice(0, nodes),
    depth: depth.slice(0, nodes),
    end: end.slice(0, nodes),
    height: height.slice(0, nodes),
    tokens: Int32Array.from(sorted, ({ id }) => id),
    firstToken: firstToken.slice(0, nodes + 1),
    vocabularySize,
  };
}
