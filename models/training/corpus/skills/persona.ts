import type { Random } from "../../../random/random-choices.js";
import type { Conversation, Message, Skill } from "../conversation.js";
import { answeredLast, assistant, fill, typed, user } from "../phrasing.js";
import type { Lexicon } from "../words/lexicon.js";
import { article, capital } from "../words/lexicon.js";
import { arithmetic } from "./arithmetic.js";
import { chat } from "./chat.js";
import { copy } from "./copy.js";
import { drawFact, facts } from "./facts.js";
import { toldNow } from "./memory.js";

const whoAsks = [
  "Who are you?",
  "What is your name?",
  "What are you called?",
  "Introduce yourself.",
  "Hi, who are you?",
  "Your name?",
  "Tell me your name.",
  "Who am I talking to?",
  "Tell me about yourself.",
];

const jobAsks = ["What is your job?", "What do you do?", "What do you work as?"];

/** One topic, or a few in sequence. */
function turns(random: Random, words: Lexicon, skills: readonly Skill[]): readonly Message[] {
  const count = random.weighted([
    [7, 1],
    [2, 2],
    [1, 3],
  ]);
  return Array.from({ length: count }, () => random.pick(skills)(random, words).messages).flat();
}

function namedPersona(random: Random, words: Lexicon): Conversation {
  const name = words.name(random);
  const job = random.chance(0.7) ? words.job(random) : words.animal(random);
  const slots = { n: name, j: job, a: article(job) };
  const withJob = random.chance(0.6);
  const system = fill(
    random.pick(
      withJob
        ? [
            "You are {n}, {a} {j}.",
            "Your name is {n}. You are {a} {j}.",
            "You are {a} {j} called {n}.",
            "Act as {n}, {a} {j}.",
            "You play {n}, {a} {j}.",
          ]
        : [
            "You are {n}.",
            "Your name is {n}.",
            "You are an assistant called {n}.",
            "You are a helpful assistant named {n}.",
            "Call yourself {n}.",
          ],
    ),
    slots,
  );
  const content = withJob ? fill("I am {n}, {a} {j}.", slots) : `I am ${name}.`;
  const asks = withJob ? [...whoAsks, ...jobAsks] : whoAsks;
  const before = random.chance(0.3) ? chatWithoutSelf(random, words) : [];
  return {
    system,
    messages: [
      ...before,
      user(typed(random, random.pick(asks))),
      assistant(content, `The system prompt says that I am ${name}.`),
    ],
    expect: { kind: "contains", all: [name] },
  };
}

function chatWithoutSelf(random: Random, words: Lexicon): readonly Message[] {
  return random.pick([facts, arithmetic])(random, words).messages;
}

/** Answers in capital letters. */
export function upperCase(random: Random, words: Lexicon): Conversation {
  const system = random.pick([
    "Answer in upper case.",
    "Always answer in capital letters.",
    "Write everything in upper case.",
    "Use only capital letters.",
    "You shout: all answers are in upper case.",
    "Reply in ALL CAPS.",
    "You answer in capital letters only.",
  ]);
  const said = turns(random, words, [facts, facts, copy, toldNow, chat]);
  const messages = said.map((message) =>
    message.role === "assistant"
      ? assistant(message.content.toUpperCase(), message.reasoning)
      : message,
  );
  const last = messages[messages.length - 1];
  return { system, messages, expect: { kind: "upper-case", all: [last?.content ?? ""] } };
}

function short(random: Random, words: Lexicon): Conversation {
  const system = random.pick([
    "Answer with one word.",
    "Answer in one word.",
    "Be brief: one word only.",
    "Give only the answer.",
    "Keep answers as short as possible.",
    "You answer with a single word.",
    "Use as few words as you can.",
    "Answer briefly.",
    "Be brief.",
    "Keep it short.",
  ]);
  const answers: Skill = () => {
    const fact = drawFact(random, words);
    const reason = `I know this: ${fact.short}. I keep it short.`;
    return { messages: [user(fact.ask), assistant(capital(fact.short), reason)] };
  };
  return { system, ...answeredLast(turns(random, words, [answers])) };
}

function prefixed(random: Random, words: Lexicon): Conversation {
  const word = capital(words.anyWord(random));
  const start = random.chance(0.5);
  const system = fill(
    random.pick(
      start
        ? [
            'Start every answer with "{w}".',
            "Begin each answer with the word {w}.",
            "Always say {w} first.",
          ]
        : [
            'End every answer with "{w}".',
            "Finish each answer with the word {w}.",
            "Always say {w} at the end.",
          ],
    ),
    { w: word },
  );
  const messages = turns(random, words, [facts, chat, arithmetic]).map((message) =>
    message.role === "assistant"
      ? assistant(
          start ? `${word}! ${message.content}` : `${message.content} ${word}!`,
          message.reasoning,
        )
      : message,
  );
  return { system, messages, expect: { kind: "contains", all: [`${word}!`] } };
}

function pirate(random: Random, words: Lexicon): Conversation {
  const system = random.pick([
    "You are a pirate.",
    "Talk like a pirate.",
    "Answer like a pirate.",
    "Speak as a pirate would.",
  ]);
  const messages = turns(random, words, [facts, chat, arithmetic]).map((message) =>
    message.role === "assistant"
      ? assistant(`Arr! ${message.content}`, message.reasoning)
      : message,
  );
  return { system, messages, expect: { kind: "contains", all: ["Arr!"] } };
}

function plain(random: Random, words: Lexicon): Conversation {
  const system = random.pick([
    "You are a helpful assistant.",
    "You are a friendly assistant.",
    "Be helpful.",
    "You help people.",
    "You are ggufd mini.",
    "Answer the user's questions.",
    "You are a helpful, honest assistant.",
    "You are an AI assistant that answers questions.",
    "Be kind and helpful.",
  ]);
  return { system, ...random.pick([facts, chat, chat, arithmetic])(random, words) };
}

/** System prompts that set a name, a style or nothing special. */
export const persona: Skill = (random, words) =>
  random.weighted([
    [4, () => namedPersona(random, words)],
    [5, () => upperCase(random, words)],
    [4, () => short(random, words)],
    [4, () => prefixed(random, words)],
    [1, () => pirate(random, words)],
    [3, () => plain(random, words)],
  ])();
