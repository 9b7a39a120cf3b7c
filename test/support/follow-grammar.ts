import type { Grammar } from "../../src/grammar/grammar.js";
import { schemaGrammar } from "../../src/grammar/json-schema/schema-grammar.js";
import { buildTokenTrie } from "../../src/grammar/mask/token-trie.js";
import {
  GrammarEpoch,
  type GrammarVocabulary,
  TokenGrammar,
} from "../../src/grammar/token-grammar.js";

/** Vocabulary of these texts, with ids from 0 on, followed by control tokens. */
export function vocabularyOf(
  texts: readonly (string | Uint8Array)[],
  controlTexts: readonly string[] = [],
): GrammarVocabulary {
  const bytes = texts.map((text) => (typeof text === "string" ? Buffer.from(text) : text));
  return {
    trie: buildTokenTrie(
      bytes.map((one, id) => ({ id, bytes: one })),
      texts.length + controlTexts.length,
    ),
    bytesOf: (token) => bytes[token] ?? new Uint8Array(),
    controlTokens: new Map(controlTexts.map((text, index) => [text, texts.length + index])),
  };
}

/** A vocabulary of all single bytes: the id of a token is its byte. */
export const BYTES = vocabularyOf(Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)));

/** A grammar that is followed byte by byte. */
export function followed(grammar: Grammar): TokenGrammar {
  return new TokenGrammar(grammar, new GrammarEpoch(BYTES));
}

/** Whether a text is one of a grammar's. */
export function accepts(grammar: TokenGrammar, text: string): boolean {
  const state = grammar.advanceByBytes(grammar.start, Buffer.from(text));
  return state !== undefined && grammar.canEnd(state);
}

/** The texts that the grammar of a schema accepts, of some. */
export function acceptedBy(schema: unknown, texts: readonly string[]): readonly string[] {
  const grammar = followed(schemaGrammar(schema));
  return texts.filter((text) => accepts(grammar, text));
}
