import { render } from "./execute.js";
import { printed } from "./print.js";
import { Scope } from "./scope.js";
import { strftime } from "./strftime.js";
import { parseTemplate, type Statement } from "./syntax.js";
import {
  type Arguments,
  type Dictionary,
  isNumber,
  itemsOf,
  Namespace,
  numberOf,
  TemplateError,
  type Value,
} from "./value.js";

/** The most items of `range()`, as in Jinja's sandbox. */
const MAX_RANGE = 100_000;

/** A parsed template. */
export class Template {
  readonly #statements: readonly Statement[];
  readonly #now: () => Date;

  /**
   * @param now the clock of `strftime_now`
   * @throws {Error} the source is not a valid template
   */
  constructor(source: string, now: () => Date) {
    this.#statements = parseTemplate(source);
    this.#now = now;
  }

  /** @throws {TemplateError} the template raises an exception, or cannot be rendered */
  render(variables: ReadonlyMap<string, Value>): string {
    const scope = new Scope(this.#globals());
    for (const [name, value] of variables) scope.set(name, value);
    return render(this.#statements, scope);
  }

  #globals(): Scope {
    const scope = new Scope();
    for (const [name, value] of Object.entries(GLOBALS)) scope.set(name, value);
    scope.set("strftime_now", ({ positional: [format] }) => strftime(this.#now(), printed(format)));
    return scope;
  }
}

const GLOBALS: Readonly<Record<string, Value>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  dict: dictionary,
  namespace: (args) => new Namespace(dictionary(args)),
  range,
  raise_exception: raiseException,
};

/** Whether templates rely on what a name means. */
export function isReservedName(name: string): boolean {
  return Object.hasOwn(GLOBALS, name) || name === "strftime_now";
}

/** Python's `dict()`: of a dictionary or of pairs, and of keywords. */
function dictionary({ positional: [from], keywords }: Arguments): Dictionary {
  const pairs = from instanceof Map ? [...from] : itemsOf(from).map(itemsOf);
  const entries = pairs.map(([key, value]): [Value, Value] => [key, value]);
  return new Map([...entries, ...keywords]);
}

function range({ positional }: Arguments): number[] {
  const bounds = positional.map((value) => (isNumber(value) ? numberOf(value) : 0));
  const [start = 0, stop = 0, step = 1] = bounds.length === 1 ? [0, ...bounds] : bounds;
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (step === 0 || length > MAX_RANGE) throw new TemplateError("range() is not within its limits");
  return Array.from({ length }, (_, index) => start + index * step);
}

function raiseException({ positional: [message] }: Arguments): never {
  throw new TemplateError(printed(message));
}
