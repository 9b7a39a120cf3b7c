import { buildControlTokenPattern } from "../../../../src/engine/text/vocabulary/control-tokens.js";
import type { Vocabulary } from "../../../../src/engine/text/vocabulary/vocabulary.js";

/** Ids of control tokens begin where Unicode ends. */
const FIRST_CONTROL = 0x11_0000;

/** A vocabulary with one token for each character, and control tokens. */
export class LetterVocabulary implements Vocabulary {
  readonly size: number;
  readonly prependedBos: number | undefined;
  readonly bosText: string;
  readonly longestToken = 16;
  readonly eosText = "";
  readonly infill: Vocabulary["infill"];
  readonly endOfGeneration = new Set<number>();
  readonly controlTexts: readonly string[];

  /** @param bos the control text that is prepended to prompts */
  constructor(controlTexts: readonly string[], bos?: string, infill?: Vocabulary["infill"]) {
    this.infill = infill;
    this.controlTexts = controlTexts;
    this.size = FIRST_CONTROL + controlTexts.length;
    this.prependedBos = bos === undefined ? undefined : this.control(bos);
    this.bosText = bos ?? "";
  }

  /** The token of a control text. */
  control(text: string): number {
    return FIRST_CONTROL + this.controlTexts.indexOf(text);
  }

  /** Tokens of a text without control tokens. */
  letters(text: string): number[] {
    return [...text].map((character) => character.codePointAt(0) ?? 0);
  }

  tokenize(text: string, controlTokens: "parsed" | "literal"): number[] {
    const pattern = buildControlTokenPattern(this.controlTexts);
    if (controlTokens === "literal" || pattern === undefined) return this.letters(text);
    const tokens: number[] = [];
    let end = 0;
    for (const { 0: found, index } of text.matchAll(pattern)) {
      tokens.push(...this.letters(text.slice(end, index)), this.control(found));
      end = index + found.length;
    }
    return [...tokens, ...this.letters(text.slice(end))];
  }

  readonly controlTextOf = (token: number): string | undefined =>
    this.controlTexts[token - FIRST_CONTROL];

  readonly bytesOf = (token: number): Uint8Array =>
    token < FIRST_CONTROL
      ? new TextEncoder().encode(String.fromCodePoint(token))
      : new Uint8Array();
}
