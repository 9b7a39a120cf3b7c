import type { Random } from "../../../random/random-choices.js";
import type { Conversation, Message, Skill, ToolCall } from "../conversation.js";
import { answeredLast, assistant, fill, user } from "../phrasing.js";
import { anotherValue } from "../tools/parameters.js";
import { requestFor, requestForAll, requestForBothValues } from "../tools/request.js";
import { resultOf, type ToolResult } from "../tools/response.js";
import { type Drawn, drawTool } from "../tools/tool.js";
import { wellKnown } from "../tools/well-known.js";
import type { Lexicon } from "../words/lexicon.js";
import { arithmetic } from "./arithmetic.js";
import { chat } from "./chat.js";
import { copy } from "./copy.js";
import { facts } from "./facts.js";

/** Answer if the given tools do not help. */
export const noToolAnswer = "I have no tool for that.";

const noToolFits = "None of the tools fits.";
const toolForThis = (name: string): string => `The tool for this is ${name}.`;

/** Tools about different nouns; some do the same with each noun, which alone distinguishes them. */
function drawTools(random: Random, words: Lexicon, count: number): Drawn[] {
  const shared = random.chance(0.3) ? words.toolVerb(random) : undefined;
  const drawn: Drawn[] = [];
  const taken = new Set<string>();
  while (drawn.length < count) {
    const next = drawTool(random, words, shared ?? words.toolVerb(random), taken);
    drawn.push(next);
    taken.add(next.noun);
  }
  return drawn;
}

function callOf(drawn: Drawn): ToolCall {
  return {
    name: drawn.tool.name,
    arguments: Object.fromEntries(drawn.parameters.map(({ key, value }) => [key, value])),
  };
}

function calling(calls: readonly ToolCall[]): Message {
  const names = calls.map(({ name }) => name).join(" and ");
  return { role: "assistant", content: "", calls, reasoning: toolForThis(names) };
}

function sentenceOf(results: readonly ToolResult[]): string {
  return results.map(({ sentence }) => sentence).join(" ");
}

/** Results of the tools, and the model's answer to them. */
function answered(results: readonly ToolResult[], reasoning?: string): Message[] {
  return [
    ...results.map(({ content }): Message => ({ role: "tool", content })),
    assistant(sentenceOf(results), reasoning),
  ];
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return random.sample(items, items.length);
}

/** Number of tools in the prompt. */
function toolCount(random: Random): number {
  return random.weighted([
    [5, 1],
    [5, 2],
    [2, 3],
    [1, 4],
  ]);
}

const systems = [
  "You are a helpful assistant.",
  "Use the tools when they help.",
  "You are an assistant with tools.",
];

function withSystem(random: Random, conversation: Conversation): Conversation {
  return random.chance(0.15) ? { system: random.pick(systems), ...conversation } : conversation;
}

/** One request, one call. */
export const toolCall: Skill = (random, words) => {
  const drawn = drawTools(random, words, toolCount(random));
  const [wanted] = drawn;
  if (wanted === undefined) throw new RangeError("one tool at least");
  const tools = shuffled(random, drawn).map(({ tool }) => tool);
  const call = callOf(wanted);
  return withSystem(random, {
    tools,
    messages: [user(requestFor(random, wanted)), calling([call])],
    expect: { kind: "calls", calls: [call] },
  });
};

/** Common tools with natural requests; training only. */
export const knownToolCall: Skill = (random, words) => {
  const { tool, call, says } = wellKnown(random, words);
  const others = drawTools(random, words, random.int(0, 2)).map((drawn) => drawn.tool);
  return withSystem(random, {
    tools: shuffled(random, [tool, ...others]),
    messages: [user(says), calling([call])],
    expect: { kind: "calls", calls: [call] },
  });
};

/**
 * Another call of the same tool with a second value, if the tool has one argument and that is a
 * name.
 */
function withAnotherValue(random: Random, words: Lexicon, drawn: Drawn): Drawn | undefined {
  const [parameter, ...more] = drawn.parameters;
  if (parameter === undefined || more.length > 0) return undefined;
  const value = anotherValue(random, words, parameter);
  if (value === undefined || value === parameter.value) return undefined;
  return { ...drawn, parameters: [{ ...parameter, value, phrase: value }] };
}

/** Two requests at once, mostly short: two calls, of one tool or of two. */
export const twoCalls: Skill = (random, words) => {
  for (;;) {
    const drawn = drawTools(random, words, Math.max(2, toolCount(random)));
    const [first, second] = drawn;
    if (first === undefined || second === undefined) continue;
    const long = [first, second].some(({ parameters }) => parameters.length > 1);
    if (long && random.chance(0.75)) continue;
    const tools = shuffled(random, drawn).map(({ tool }) => tool);
    if (random.chance(0.5)) {
      const calls = [callOf(first), callOf(second)];
      return {
        tools,
        messages: [user(requestForAll(random, [first, second])), calling(calls)],
        expect: { kind: "calls", calls },
      };
    }
    const again = withAnotherValue(random, words, first);
    if (again === undefined) continue;
    const calls = [callOf(first), callOf(again)];
    return {
      tools,
      messages: [user(requestForBothValues(random, first, again)), calling(calls)],
      expect: { kind: "calls", calls },
    };
  }
};

/** Tools are offered, but the request needs none of them, or none fits. */
export const noCall: Skill = (random, words) => {
  const drawn = drawTools(random, words, toolCount(random) + 1);
  const [absent, ...given] = drawn;
  if (absent === undefined) throw new RangeError("two tools at least");
  const tools = given.map(({ tool }) => tool);
  if (random.chance(0.45)) {
    return withSystem(random, {
      tools,
      messages: [user(requestFor(random, absent)), assistant(noToolAnswer, noToolFits)],
      expect: { kind: "no-call" },
    });
  }
  const base = random.pick([chat, chat, facts, arithmetic, copy])(random, words);
  return withSystem(random, { tools, messages: base.messages, expect: { kind: "no-call" } });
};

/** A call, the tool's response, and a sentence that uses it; sometimes a second round. */
export const toolResponse: Skill = (random, words) => {
  const drawn = drawTools(random, words, toolCount(random));
  const [wanted, next] = drawn;
  if (wanted === undefined) throw new RangeError("one tool at least");
  const tools = shuffled(random, drawn).map(({ tool }) => tool);
  const messages: Message[] = [];
  const known = random.chance(0.2) ? wellKnown(random, words) : undefined;
  const call = known?.call ?? callOf(wanted);
  messages.push(user(known?.says ?? requestFor(random, wanted)), calling([call]));
  let result: ToolResult = resultOf(random, words, known?.noun ?? wanted.noun, call);
  messages.push(...answered([result], "The tool has answered. I tell the user."));
  if (known === undefined && next !== undefined && random.chance(0.25)) {
    const second = callOf(next);
    result = resultOf(random, words, next.noun, second);
    messages.push(user(requestFor(random, next)), calling([second]));
    messages.push(...answered([result], "The tool has answered. I tell the user."));
  } else if (random.chance(0.2)) {
    messages.push(...chat(random, words).messages);
    return { tools: known ? [known.tool] : tools, messages, expect: { kind: "no-call" } };
  }
  return {
    tools: known ? [known.tool] : tools,
    messages,
    expect: { kind: "equals", text: result.sentence },
  };
};

/** Requests of each round: one, or two at once if there are tools for both. */
function inRounds(
  random: Random,
  asked: readonly Drawn[],
  given: readonly Drawn[],
): readonly (readonly Drawn[])[] {
  const rounds: Drawn[][] = [];
  for (const wanted of asked) {
    const last = rounds.at(-1) ?? [];
    const fit = last.length === 1 && [...last, wanted].every((drawn) => given.includes(drawn));
    if (fit && random.chance(0.5)) last.push(wanted);
    else rounds.push([wanted]);
  }
  return rounds;
}

/** Request of a round; for a single tool it sometimes names two values. */
function asRequested(
  random: Random,
  words: Lexicon,
  round: readonly Drawn[],
): { readonly request: string; readonly wanted: readonly Drawn[] } {
  const [first, ...others] = round;
  if (first !== undefined && others.length === 0 && random.chance(0.5)) {
    const again = withAnotherValue(random, words, first);
    if (again !== undefined)
      return { request: requestForBothValues(random, first, again), wanted: [first, again] };
  }
  return { request: requestForAll(random, round), wanted: round };
}

/**
 * Several consecutive requests over the same tools; some fit none of them. Half of the
 * conversations do not wait for results, which gives more calls for the same number of words.
 */
export const toolRounds: Skill = (random, words) => {
  const waits = random.chance(0.5);
  const drawn = drawTools(random, words, random.int(3, 5));
  const given = drawn.slice(0, random.int(2, drawn.length - 1));
  const asked = random.sample(drawn, random.int(2, drawn.length));
  const rounds = inRounds(random, asked, given).flatMap((fit): Message[] => {
    const { request, wanted } = asRequested(random, words, fit);
    const asks = user(request);
    if (!fit.every((drawn) => given.includes(drawn))) return [asks, assistant(noToolAnswer)];
    const calls = calling(wanted.map(callOf));
    if (!waits) return [asks, calls];
    const results = wanted.map((drawn) => resultOf(random, words, drawn.noun, callOf(drawn)));
    return [asks, calls, ...answered(results)];
  });
  return {
    tools: shuffled(random, given).map(({ tool }) => tool),
    ...answeredLast(rounds),
  };
};

/** Two calls, both responses, one sentence for each. */
export const twoResponses: Skill = (random, words) => {
  const base = twoCalls(random, words);
  const last = base.messages[base.messages.length - 1];
  const calls = last?.role === "assistant" ? (last.calls ?? []) : [];
  const results = calls.map((call) => resultOf(random, words, "answer", call));
  return {
    ...base,
    messages: [...base.messages, ...answered(results, "The tools have answered. I tell the user.")],
    expect: { kind: "equals", text: sentenceOf(results) },
  };
};

const whichAsked = [
  "Which tool would you use to {r}?",
  "What tool do I need to {r}?",
  "Is there a tool to {r}?",
  "What can {r}?",
];

/** Questions for the tool that fits, repeated for existing and missing tools. */
export const whichTool: Skill = (random, words) => {
  const drawn = drawTools(random, words, random.int(3, 7));
  const given = drawn.slice(0, random.int(1, Math.min(5, drawn.length - 1)));
  const messages = random.sample(drawn, drawn.length).flatMap((wanted): Message[] => {
    const r = `${wanted.spokenVerb} ${random.pick(["the", "a", "my"])} ${wanted.noun}`;
    const answer = given.includes(wanted) ? toolForThis(wanted.tool.name) : noToolFits;
    return [user(fill(random.pick(whichAsked), { r })), assistant(answer)];
  });
  return {
    tools: shuffled(random, given).map(({ tool }) => tool),
    ...answeredLast(messages),
  };
};
