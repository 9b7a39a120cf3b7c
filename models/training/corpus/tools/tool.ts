import type { Random } from "../../../random/random-choices.js";
import type { Tool } from "../conversation.js";
import { capital, type Lexicon } from "../words/lexicon.js";
import type { SpokenVerb } from "../words/tool-words.js";
import { drawParameters, type Parameter } from "./parameters.js";

/** Tool with everything that a request for it needs. */
export interface Drawn {
  readonly tool: Tool;
  readonly noun: string;
  readonly spokenVerb: string;
  readonly parameters: readonly Parameter[];
}

function describe(
  random: Random,
  verb: string,
  noun: string,
  parameters: readonly Parameter[],
): string {
  const key = parameters[0]?.key.replaceAll("_", " ");
  const shapes = [
    `${capital(verb)} the ${noun}`,
    `${capital(verb)} a ${noun}`,
    `${capital(verb)} ${noun}`,
    `${capital(verb)}s the ${noun}`,
  ];
  if (key !== undefined)
    shapes.push(
      `${capital(verb)} the ${noun} for a ${key}`,
      `${capital(verb)} the ${noun} by ${key}`,
      `${capital(verb)} the current ${noun} for a given ${key}`,
    );
  return random.pick(shapes) + random.pick(["", "", "."]);
}

/** Lists some integers as `number`, as many real tools do. */
function listedType(random: Random, type: Parameter["type"]): Parameter["type"] | "number" {
  return type === "integer" && random.chance(0.15) ? "number" : type;
}

/** Generates a tool whose noun is not one of the taken ones; its name describes its function. */
export function drawTool(
  random: Random,
  words: Lexicon,
  [verb, spokenVerb]: SpokenVerb,
  taken: ReadonlySet<string>,
): Drawn {
  for (;;) {
    const rawNoun = random.weighted([
      [5, words.toolNoun(random)],
      [2, words.thing(random)],
      [4, words.invented(random)],
    ]);
    const noun = rawNoun.replace(/_/g, " ");
    if (taken.has(noun)) continue;
    const parameters = drawParameters(random, words);
    const name = words.toolName(random, verb, rawNoun);
    const description = random.chance(0.08) ? "" : describe(random, verb, noun, parameters);
    return {
      tool: {
        name,
        description,
        parameters: Object.fromEntries(
          parameters.map(({ key, type }) => [key, listedType(random, type)]),
        ),
      },
      noun,
      spokenVerb,
      parameters,
    };
  }
}
