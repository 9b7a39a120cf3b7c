/** How far a number is written. */
export type NumberState =
  | "sign"
  | "zero"
  | "integer"
  | "point"
  | "fraction"
  | "exponent"
  | "exponent-sign"
  | "exponent-digits";

/** What a number may go on with, by how far it is written; digits come last. */
const NUMBER_GOES_ON: Readonly<Record<NumberState, readonly (readonly [RegExp, NumberState])[]>> = {
  sign: [
    [/0/, "zero"],
    [/\d/, "integer"],
  ],
  zero: [
    [/\./, "point"],
    [/[eE]/, "exponent"],
  ],
  integer: [
    [/\./, "point"],
    [/[eE]/, "exponent"],
    [/\d/, "integer"],
  ],
  point: [[/\d/, "fraction"]],
  fraction: [
    [/[eE]/, "exponent"],
    [/\d/, "fraction"],
  ],
  exponent: [
    [/[-+]/, "exponent-sign"],
    [/\d/, "exponent-digits"],
  ],
  "exponent-sign": [[/\d/, "exponent-digits"]],
  "exponent-digits": [[/\d/, "exponent-digits"]],
};
/** States in which a number may end. */
const WHOLE_NUMBERS: readonly NumberState[] = ["zero", "integer", "fraction", "exponent-digits"];

/** The state behind one more character; `undefined`: the number does not go on with it. */
export function numberBehind(state: NumberState, character: string): NumberState | undefined {
  return NUMBER_GOES_ON[state].find(([allowed]) => allowed.test(character))?.[1];
}

/** Whether a number may end here. */
export function isWholeNumber(state: NumberState): boolean {
  return WHOLE_NUMBERS.includes(state);
}
