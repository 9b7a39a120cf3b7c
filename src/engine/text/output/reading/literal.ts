import {
  hasCharacter,
  type OutputBuffer,
  type Reading,
  skipSpace,
  tentatively,
} from "./output-buffer.js";

/** `cut`: the output ended, and as far as it goes it agrees. */
export type Match = "matched" | "mismatched" | "cut";

const segmentsByLiteral = new Map<string, readonly string[]>();

/** Where the literal has some, around a list's bracket, and before a key or a colon of JSON. */
const OPTIONAL_SPACE = /\s+|(?<=\S)(?=\[$)|(?<=^\])(?!<\])(?=\S)|(?<=\{)(?=")|(?<=")(?=:)/;

/** The texts of a literal between which there may be any white space. */
function segmentsOf(literal: string): readonly string[] {
  let segments = segmentsByLiteral.get(literal);
  if (segments === undefined) {
    segments = literal.split(OPTIONAL_SPACE);
    segmentsByLiteral.set(literal, segments);
  }
  return segments;
}

/** The text by which a literal is recognised: as far as its first white space. */
export function markOf(literal: string): string {
  return segmentsOf(literal).find((segment) => segment !== "") ?? "";
}

/** The first text of a literal that other texts rarely have: not a lone brace. */
export function distinctiveMarkOf(literal: string): string {
  return segmentsOf(literal).find((segment) => segment !== "" && segment !== "{") ?? "";
}

/** Takes a literal; white space may be more or less. Takes nothing if it is not there. */
export function takeLiteral(buffer: OutputBuffer, literal: string): Reading<Match> {
  return tentatively(
    buffer,
    takeSegments(buffer, segmentsOf(literal)),
    (match) => match !== "mismatched",
  );
}

/** Whether a literal comes next, white space aside. Takes nothing. */
export function* comesNext(buffer: OutputBuffer, literal: string): Reading<boolean> {
  const segments = ["", ...segmentsOf(literal)];
  const match = yield* tentatively(buffer, takeSegments(buffer, segments), () => false);
  return match === "matched";
}

/** Takes these texts, with any white space between them. */
function* takeSegments(buffer: OutputBuffer, segments: readonly string[]): Reading<Match> {
  for (const [index, segment] of segments.entries()) {
    if (index > 0) yield* skipSpace(buffer);
    const match = yield* takeExactly(buffer, segment);
    if (match !== "matched") return match;
  }
  return "matched";
}

/** Takes a text as it is; `mismatched`: nothing. */
export function* takeExactly(buffer: OutputBuffer, text: string): Reading<Match> {
  for (let offset = 0; offset < text.length; offset++) {
    const position = buffer.position + offset;
    if (!(yield* hasCharacter(buffer, position))) {
      buffer.position = buffer.end;
      return "cut";
    }
    if (buffer.characterAt(position) !== text[offset]) return "mismatched";
  }
  buffer.position += text.length;
  return "matched";
}
