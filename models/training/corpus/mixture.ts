import { Random } from "../../random/random-choices.js";
import type { Conversation, Message, Skill } from "./conversation.js";
import { render } from "./render.js";
import { arithmetic } from "./skills/arithmetic.js";
import { chat } from "./skills/chat.js";
import { copy, copyAgain, copyInUpperCase, copyRaw, copyTimes } from "./skills/copy.js";
import { facts, furtherFacts } from "./skills/facts.js";
import { jsonFromText, jsonObject } from "./skills/json.js";
import { lists } from "./skills/lists.js";
import { memory, notTold, people, toldNow } from "./skills/memory.js";
import { noise, shouted } from "./skills/noise.js";
import { persona, upperCase } from "./skills/persona.js";
import { reading, readingOn } from "./skills/reading.js";
import { recallFacts, recallPeople, recallRaw } from "./skills/recall.js";
import { say } from "./skills/say.js";
import { story } from "./skills/story.js";
import {
  knownToolCall,
  noCall,
  toolCall,
  toolResponse,
  toolRounds,
  twoCalls,
  twoResponses,
  whichTool,
} from "./skills/tools.js";
import { beyond, gibberish, tooHard, unknown } from "./skills/unknown.js";
import { yesNo } from "./skills/yes-no.js";
import { Lexicon } from "./words/lexicon.js";

/** A skill with its name and its share of the corpus's text, early and late in training. */
export interface Share {
  readonly name: string;
  readonly skill: Skill;
  readonly early: number;
  readonly late: number;
}

/** Share of a corpus after which the late mixture applies. */
export const LATE_FROM = 0.3;

/**
 * Shares of the skills. Retrieving the value of a key comes first: memory, tools and reading depend
 * on it, and it is learnt from very many questions rather than from many words.
 */
export const shares: readonly Share[] = [
  { name: "chat", skill: chat, early: 3, late: 6 },
  { name: "noise", skill: noise, early: 1, late: 2 },
  { name: "copy", skill: copy, early: 8, late: 9 },
  { name: "copy-again", skill: copyAgain, early: 2, late: 2.5 },
  { name: "copy-times", skill: copyTimes, early: 0.5, late: 1.5 },
  { name: "copy-raw", skill: copyRaw, early: 4, late: 3 },
  { name: "memory", skill: memory, early: 6, late: 10 },
  { name: "people", skill: people, early: 2, late: 8 },
  { name: "not-told", skill: notTold, early: 1, late: 2 },
  { name: "reading", skill: reading, early: 3, late: 7 },
  { name: "facts", skill: facts, early: 5, late: 9 },
  { name: "arithmetic", skill: arithmetic, early: 5, late: 6 },
  { name: "lists", skill: lists, early: 1, late: 1.5 },
  { name: "yes-no", skill: yesNo, early: 2, late: 9 },
  { name: "story", skill: story, early: 0.5, late: 1.5 },
  { name: "unknown", skill: unknown, early: 1, late: 2 },
  { name: "persona", skill: persona, early: 2, late: 9 },
  { name: "upper-case", skill: upperCase, early: 0, late: 3 },
  { name: "json", skill: jsonObject, early: 3, late: 3 },
  { name: "json-text", skill: jsonFromText, early: 1, late: 1.5 },
  { name: "tool-call", skill: toolCall, early: 9, late: 26 },
  { name: "tool-known", skill: knownToolCall, early: 1, late: 3 },
  { name: "tool-two", skill: twoCalls, early: 2, late: 24 },
  { name: "tool-none", skill: noCall, early: 2, late: 8 },
  { name: "tool-response", skill: toolResponse, early: 2, late: 9 },
  { name: "tool-responses", skill: twoResponses, early: 0.3, late: 0.5 },
  { name: "tool-rounds", skill: toolRounds, early: 9, late: 28 },
  { name: "tool-which", skill: whichTool, early: 6, late: 8 },
  { name: "recall-raw", skill: recallRaw, early: 12, late: 5 },
  { name: "recall-people", skill: recallPeople, early: 7, late: 4 },
  { name: "recall-facts", skill: recallFacts, early: 7, late: 8 },
  { name: "told-now", skill: toldNow, early: 1, late: 4 },
  { name: "too-hard", skill: tooHard, early: 0, late: 1.5 },
  { name: "beyond", skill: beyond, early: 0, late: 1.5 },
  { name: "facts-further", skill: furtherFacts, early: 0, late: 1.5 },
  { name: "copy-upper", skill: copyInUpperCase, early: 0, late: 1 },
  { name: "shouted", skill: shouted, early: 0, late: 1.5 },
  { name: "say", skill: say, early: 0, late: 1.5 },
  { name: "reading-on", skill: readingOn, early: 0, late: 2.5 },
  { name: "gibberish", skill: gibberish, early: 0, late: 0.3 },
];

/** Mean length of a skill's conversations, in characters. */
function meanLength(skill: Skill): number {
  const words = new Lexicon("train");
  const random = new Random(17);
  const drawn = Array.from({ length: 100 }, () => render(skill(random, words)));
  return drawn.flat().reduce((sum, { text }) => sum + text.length, 0) / drawn.length;
}

const lengths = new Map(shares.map((share) => [share, meanLength(share.skill)]));

const chained: readonly Skill[] = [
  chat,
  chat,
  copy,
  facts,
  facts,
  arithmetic,
  lists,
  yesNo,
  unknown,
  jsonObject,
  memory,
  people,
  story,
  reading,
];

/** Builds a conversation of several topics, one after another. */
function chain(random: Random, words: Lexicon, first: Conversation, turns: number): Conversation {
  const messages: Message[] = [...first.messages];
  for (let i = 0; i < turns; i += 1) {
    const next = random.pick(chained)(random, words);
    if (next.system === undefined) messages.unshift(...next.messages);
  }
  return { ...first, messages };
}

function ready(conversation: Conversation): boolean {
  const last = conversation.messages[conversation.messages.length - 1];
  return last?.role === "assistant" && last.reasoning !== undefined;
}

/** One conversation; `progress` runs from 0 (early) to 1 (late). */
export function drawConversation(
  random: Random,
  words: Lexicon,
  progress: number,
): { share: Share; conversation: Conversation } {
  const weights = shares.map((share) => {
    const wanted = share.early + (share.late - share.early) * progress;
    return [wanted / (lengths.get(share) ?? 1), share] as const;
  });
  const share = random.weighted(weights);
  let conversation = share.skill(random, words);
  if (share.name !== "not-told" && share.name !== "persona") {
    const turns = random.weighted([
      [66, 0],
      [17, 1],
      [9, 2],
      [6, 3],
      [2 * progress, 8],
    ]);
    conversation = chain(random, words, conversation, turns);
  }
  if (ready(conversation) && random.chance(0.07))
    conversation = { ...conversation, thinking: true };
  return { share, conversation };
}
