import { describe, expect, it } from "vitest";
import { replaceStyles } from "../../../src/page/markdown/formula-styles.js";

describe("styles of formulas", () => {
  it.each([
    ['<mi style="color:red;">', '<mi mathcolor="red">'],
    ['<mi style="color:#ff8000;">', '<mi mathcolor="#ff8000">'],
    ['<mi style="color:black;">', "<mi>"],
    ['<mi style="color:url(x);">', "<mi>"],
    ['<mrow style="padding:3pt;border:1px solid;">', '<mrow class="formula-padded formula-box">'],
    ['<mtd class="a" style="padding-left:0em;">', '<mtd class="a formula-flush-left">'],
    ['<mtd style="border-top:0.06em solid;">', '<mtd class="formula-line-top">'],
    ['<mtd style="position:fixed;top:0;">', "<mtd>"],
    ['<mo form="prefix" stretchy="true">', '<mo form="prefix" stretchy="true">'],
    ['<mtext>a style="b"</mtext>', '<mtext>a style="b"</mtext>'],
  ])("become classes and attributes: %s", (markup, replaced) => {
    expect(replaceStyles(markup)).toBe(replaced);
  });

  it("do not move parts of a formula out of it", () => {
    expect(replaceStyles('<mpadded voffset="-3000px" width="9em">')).toBe('<mpadded width="9em">');
    expect(replaceStyles('<mspace width="-90em" height="3pt">')).toBe('<mspace height="3pt">');
  });
});
