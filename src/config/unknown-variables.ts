import { environmentVariableOf, settingNames } from "./settings/settings.js";

const PREFIX = "GGUFD_";
/** What Kubernetes and linked containers tell of a service that is named ggufd. */
const OF_A_SERVICE = /^GGUFD_(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP)|ENV_)/;

const known = [...settingNames, "config"].map(environmentVariableOf);

/** A line for each variable that looks like a setting and is none: `GGUFD_PROT: there is no such setting; …`. */
export function unknownVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name) && !OF_A_SERVICE.test(name))
    .map((name) => `${name}: there is no such setting; the nearest is ${nearest(name)}`);
}

function nearest(name: string): string {
  const byDistance = known.toSorted((a, b) => distance(name, a) - distance(name, b));
  return byDistance[0] ?? "";
}

/** Levenshtein's: characters that are inserted, deleted or replaced. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of [...other].entries()) {
      next.push(
        Math.min(
          (next[column] ?? 0) + 1,
          (row[column + 1] ?? 0) + 1,
          (row[column] ?? 0) + (letter === otherLetter ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
