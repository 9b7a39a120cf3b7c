/** Keywords that constrain values, by the draft of JSON Schema that introduced them. */
const INTRODUCED: readonly (readonly [draft: number, keywords: readonly string[]])[] = [
  [6, ["const", "contains", "propertyNames"]],
  [7, ["if", "then", "else"]],
  [
    2019,
    [
      "$recursiveRef",
      "dependentRequired",
      "dependentSchemas",
      "maxContains",
      "minContains",
      "unevaluatedItems",
      "unevaluatedProperties",
    ],
  ],
  [2020, ["$dynamicRef", "prefixItems"]],
];

/** What depends on the draft that a document is written in. */
export interface Draft {
  /** Whether only a reference counts where there is one: up to draft 7. */
  readonly refSiblings: "ignored" | "counted";
  /** Keywords of later drafts: no constraints, but annotations. */
  readonly unknownKeywords: ReadonlySet<string>;
}

/**
 * The draft that the `$schema` of a document names. Without one all keywords have their meaning, and the siblings
 * of references count: clients often name none and use those of any draft.
 */
export function draftOf(dialect: unknown): Draft {
  const named = typeof dialect === "string" ? DIALECT.exec(dialect) : null;
  const number = Number(named?.[1] ?? named?.[2] ?? Number.POSITIVE_INFINITY);
  return {
    refSiblings: number <= 7 ? "ignored" : "counted",
    unknownKeywords: new Set(
      INTRODUCED.flatMap(([draft, keywords]) => (draft > number ? keywords : [])),
    ),
  };
}

const DIALECT =
  /^https?:\/\/json-schema\.org\/(?:draft-0([3467])\/schema|draft\/(2019|2020)-\d\d\/schema)#?$/;
