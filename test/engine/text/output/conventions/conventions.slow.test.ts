import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOOL_CONVENTIONS } from "../../../../../src/core/output-format.js";
import type { OutputPiece } from "../../../../../src/engine/text/output/output-piece.js";
import { readOutput, withControlTokens } from "../read-output.js";
import { splitAt } from "../split-at.js";
import { allForms, type Form, type Forms, tools } from "./forms.js";

const cases = allForms.flatMap((family) =>
  family.forms.map((form) => [family.convention, form.what, { family, form }] as const),
);

const readingOf = ({ family, form }: { family: Forms; form: Form }) => ({
  convention: family.convention,
  reasoning: family.reasoning ?? "think",
  tools,
  ...form.reading,
});

/** Splits text pieces at these positions; control tokens stay whole. */
function cut(pieces: readonly OutputPiece[], positions: readonly number[]): OutputPiece[] {
  return pieces.flatMap((piece) =>
    piece.type === "control-token"
      ? [piece]
      : splitAt(piece.text, positions).map((text): OutputPiece => ({ type: "text", text })),
  );
}

describe("the output conventions", () => {
  it("each have test forms", () => {
    expect(allForms.map(({ convention }) => convention).toSorted()).toEqual(
      TOOL_CONVENTIONS.toSorted(),
    );
  });

  it.each(cases)("parse %s output: %s", (_convention, _what, example) => {
    expect(readOutput([example.form.output], readingOf(example))).toEqual(example.form.parts);
  });

  it.each(cases)("parse %s output for any chunk boundaries: %s", (_convention, _what, example) => {
    const { output, parts } = example.form;
    expect(readOutput([...output], readingOf(example))).toEqual(parts);
    for (let position = 1; position < output.length; position++) {
      const halves = [output.slice(0, position), output.slice(position)];
      expect(readOutput(halves, readingOf(example))).toEqual(parts);
    }
  });

  it.each(cases)(
    "parse %s output with marks as control tokens: %s",
    (_convention, _what, example) => {
      const reading = readingOf(example);
      const pieces = withControlTokens(example.form.output, example.family.marks);
      const whole = readOutput(pieces, reading);
      const hasUnreadMarks = example.form.parts.some(
        (part) => "text" in part && example.family.marks.some((mark) => part.text.includes(mark)),
      );
      if (!hasUnreadMarks) expect(whole).toEqual(example.form.parts);
      for (const part of whole) {
        if (!("text" in part)) continue;
        for (const mark of example.family.marks) expect(part.text).not.toContain(mark);
      }
      fc.assert(
        fc.property(fc.array(fc.nat(60)), (positions) => {
          expect(readOutput(cut(pieces, positions), reading)).toEqual(whole);
        }),
        { numRuns: 20 },
      );
    },
  );

  it("parse mixtures of their marks the same, for any chunk boundaries", () => {
    const families = fc.constantFrom(...allForms);
    const mixture = families.chain((family) => {
      const fragments = family.forms.flatMap(({ output }) =>
        output.split(/(?=[<[{"(,])|(?<=[>\]}")])/),
      );
      return fc.record({
        family: fc.constant(family),
        fragments: fc.array(fc.constantFrom(...fragments), { maxLength: 12 }),
        beginsWith: fc.constantFrom("anything" as const, "reasoning" as const, "text" as const),
      });
    });
    fc.assert(
      fc.property(mixture, fc.array(fc.nat(80)), ({ family, fragments, beginsWith }, positions) => {
        const { convention, reasoning = "think", marks } = family;
        const reading = { convention, reasoning, tools, beginsWith };
        const output = fragments.join("");
        const whole = readOutput([output], reading);
        expect(readOutput(splitAt(output, positions), reading)).toEqual(whole);
        const pieces = withControlTokens(output, marks);
        expect(readOutput(cut(pieces, positions), reading)).toEqual(readOutput(pieces, reading));
      }),
      { numRuns: 1000 },
    );
  });
});
