import { applyFilter, call, evaluate, evaluateArguments, Scope } from "./evaluate.js";
import { strftime } from "./strftime.js";
import {
  type Assignment,
  type CallBlock,
  type Expression,
  type Loop,
  type Macro,
  type Parameter,
  parseTemplate,
  type Statement,
  type Tuple,
} from "./syntax.js";
import {
  type Arguments,
  type Callable,
  type Dictionary,
  formatValue,
  isNumber,
  isTruthy,
  itemsOf,
  Namespace,
  numberOf,
  TemplateError,
  type Value,
} from "./value.js";

/** Maximum number of items of `range()`, as in Jinja's sandbox. */
const MAX_RANGE = 100_000;

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
    scope.set("strftime_now", ({ positional: [format] }) =>
      strftime(this.#now(), formatValue(format)),
    );
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

/** Returns whether templates rely on the meaning of a name. */
export function isReservedName(name: string): boolean {
  return Object.hasOwn(GLOBALS, name) || name === "strftime_now";
}

/** Implements Python's `dict()`, from a dictionary or pairs, and keywords. */
function dictionary({ positional: [from], keywords }: Arguments): Dictionary {
  const pairs = from instanceof Map ? [...from] : itemsOf(from).map(itemsOf);
  const entries = pairs.map(([key, value]): [Value, Value] => [key, value]);
  return new Map([...entries, ...keywords]);
}

function range({ positional }: Arguments): number[] {
  const bounds = positional.map((value) => (isNumber(value) ? numberOf(value) : 0));
  const [start = 0, stop = 0, step = 1] = bounds.length === 1 ? [0, ...bounds] : bounds;
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (step === 0 || length > MAX_RANGE) {
    throw new TemplateError(`range() expects a step other than 0 and at most ${MAX_RANGE} items`);
  }
  return Array.from({ length }, (_, index) => start + index * step);
}

function raiseException({ positional: [message] }: Arguments): never {
  throw new TemplateError(formatValue(message));
}

/** How a block ended: at its end, or with a `break` or `continue` of the loop. */
type Ending = "end" | "break" | "continue";

/**
 * Renders statements.
 * @throws {TemplateError} the template raises an exception, or an expression has no value
 */
function render(statements: readonly Statement[], scope: Scope): string {
  const output: string[] = [];
  executeAll(statements, scope, output);
  return output.join("");
}

function executeAll(statements: readonly Statement[], scope: Scope, output: string[]): Ending {
  for (const statement of statements) {
    const ending = execute(statement, scope, output);
    if (ending !== "end") return ending;
  }
  return "end";
}

function execute(node: Statement, scope: Scope, output: string[]): Ending {
  switch (node.type) {
    case "If": {
      const branch = isTruthy(evaluate(node.test, scope)) ? node.body : node.alternate;
      return executeAll(branch, scope, output);
    }
    case "For":
      executeLoop(node, scope, output);
      return "end";
    case "Set":
      assign(node, scope);
      return "end";
    case "Macro":
      scope.set(node.name.value, createMacro(node, scope));
      return "end";
    case "CallStatement":
      output.push(formatValue(callWithBlock(node, scope)));
      return "end";
    case "FilterStatement":
      output.push(formatValue(applyFilter(node.filter, render(node.body, scope), scope)));
      return "end";
    case "Break":
      return "break";
    case "Continue":
      return "continue";
    case "Comment":
      return "end";
    default:
      output.push(formatValue(evaluate(node, scope)));
      return "end";
  }
}

function executeLoop(
  { loopvar, iterable, body, defaultBlock }: Loop,
  scope: Scope,
  output: string[],
) {
  const selection = iterable.type === "SelectExpression" ? iterable : undefined;
  const all = itemsOf(evaluate(selection?.lhs ?? iterable, scope));
  const items = selection === undefined ? all : all.filter((item) => isSelected(item));
  if (items.length === 0) executeAll(defaultBlock, scope, output);
  for (const [index, item] of items.entries()) {
    const inner = new Scope(scope);
    bind(loopvar, item, inner);
    inner.set("loop", createLoopVariable(items, index));
    if (executeAll(body, inner, output) === "break") return;
  }

  function isSelected(item: Value): boolean {
    const inner = new Scope(scope);
    bind(loopvar, item, inner);
    return selection === undefined || isTruthy(evaluate(selection.test, inner));
  }
}

function createLoopVariable(items: readonly Value[], index: number): Value {
  const { length } = items;
  return new Map<Value, Value>([
    ["index", index + 1],
    ["index0", index],
    ["revindex", length - index],
    ["revindex0", length - index - 1],
    ["first", index === 0],
    ["last", index === length - 1],
    ["length", length],
    ["previtem", items[index - 1]],
    ["nextitem", items[index + 1]],
  ]);
}

/** Binds a value to a name, or its items to several names. */
function bind(target: Expression | Tuple, value: Value, scope: Scope): void {
  if (target.type === "Identifier") {
    scope.set(target.value, value);
    return;
  }
  if (target.type !== "TupleLiteral") throw new TemplateError("cannot assign to an expression");
  const items = itemsOf(value);
  const expected = target.value.length;
  if (items.length !== expected) {
    throw new TemplateError(`cannot unpack ${items.length} items into ${expected} names`);
  }
  for (const [index, name] of target.value.entries()) bind(name, items[index], scope);
}

function assign({ assignee, value: node, body }: Assignment, scope: Scope): void {
  const value = node === null ? render(body, scope) : evaluate(node, scope);
  if (assignee.type !== "MemberExpression") {
    bind(assignee, value, scope);
    return;
  }
  const object = evaluate(assignee.object, scope);
  if (!(object instanceof Namespace) || assignee.property.type !== "Identifier") {
    throw new TemplateError("only attributes of a namespace can be assigned");
  }
  object.attributes.set(assignee.property.value, value);
}

/**
 * Creates a macro, which sees the variables of its scope with their values at the time of the call.
 */
function createMacro({ args: parameters, body, name }: Macro, scope: Scope): Callable {
  return createCallable(name.value, parameters, body, scope);
}

/** Implements `{% call(…) macro(…) %}`: the macro calls the block as `caller`. */
function callWithBlock({ call: node, callerArgs, body }: CallBlock, scope: Scope): Value {
  const { positional, keywords } = evaluateArguments(node.args, scope);
  const caller = createCallable("caller", callerArgs ?? [], body, scope);
  return call(node, { positional, keywords: new Map([...keywords, ["caller", caller]]) }, scope);
}

function createCallable(
  name: string,
  parameters: readonly Parameter[],
  body: readonly Statement[],
  scope: Scope,
): Callable {
  return ({ positional, keywords }) => {
    if (positional.length > parameters.length) {
      throw new TemplateError(`${name} takes at most ${parameters.length} arguments`);
    }
    const inner = new Scope(scope);
    inner.set("caller", keywords.get("caller"));
    for (const [index, parameter] of parameters.entries()) {
      const key = parameter.type === "Identifier" ? parameter.value : parameter.key.value;
      const isGiven = index < positional.length || keywords.has(key);
      const argumentValue = index < positional.length ? positional[index] : keywords.get(key);
      const defaultNode = parameter.type === "Identifier" ? undefined : parameter.value;
      inner.set(
        key,
        isGiven || defaultNode === undefined ? argumentValue : evaluate(defaultNode, inner),
      );
    }
    return render(body, inner);
  };
}
