import { Random } from "../../random/random-choices.js";
import type { Conversation, Expectation, Message, Skill, Tool } from "../corpus/conversation.js";
import { arithmetic } from "../corpus/skills/arithmetic.js";
import { chat } from "../corpus/skills/chat.js";
import { copy, copyAgain } from "../corpus/skills/copy.js";
import { facts } from "../corpus/skills/facts.js";
import { jsonFromText, jsonObject } from "../corpus/skills/json.js";
import { lists } from "../corpus/skills/lists.js";
import { memory, notTold, people, toldNow } from "../corpus/skills/memory.js";
import { persona } from "../corpus/skills/persona.js";
import { reading } from "../corpus/skills/reading.js";
import { story } from "../corpus/skills/story.js";
import { noCall, toolCall, toolResponse, twoCalls } from "../corpus/skills/tools.js";
import { beyond, tooHard, unknown } from "../corpus/skills/unknown.js";
import { yesNo } from "../corpus/skills/yes-no.js";
import { KeptOutWords } from "./kept-out.js";

/** Question of the evaluation: the request, and the form of a correct answer. */
export interface Prompt {
  readonly skill: string;
  readonly system?: string;
  readonly tools: readonly Tool[];
  readonly thinking: boolean;
  readonly messages: readonly Message[];
  readonly expect: Expectation;
}

interface Group {
  readonly name: string;
  readonly skills: readonly Skill[];
  readonly thinking?: boolean;
}

/** Skills of the table, in its order. */
export const groups: readonly Group[] = [
  { name: "small talk", skills: [chat] },
  { name: "copying", skills: [copy] },
  { name: "memory", skills: [memory, people, toldNow] },
  { name: "closed world", skills: [facts] },
  { name: "arithmetic", skills: [arithmetic] },
  { name: "yes or no", skills: [yesNo] },
  { name: "lists", skills: [lists] },
  { name: "reading", skills: [reading] },
  { name: "story", skills: [story] },
  { name: "persona", skills: [persona] },
  { name: "json", skills: [jsonObject, jsonFromText] },
  { name: "tool call", skills: [toolCall] },
  { name: "two calls", skills: [twoCalls] },
  { name: "no call", skills: [noCall] },
  { name: "tool response", skills: [toolResponse] },
  { name: "does not know", skills: [unknown, notTold, beyond, tooHard] },
  { name: "thinking", skills: [arithmetic, facts, copy, toolCall], thinking: true },
  { name: "say again", skills: [copyAgain] },
];

function promptFrom(group: Group, conversation: Conversation): Prompt | undefined {
  const { system, tools = [], messages, expect } = conversation;
  if (expect === undefined) return undefined;
  return {
    skill: group.name,
    ...(system === undefined ? {} : { system }),
    tools,
    thinking: group.thinking ?? false,
    messages: messages.slice(0, -1),
    expect,
  };
}

/** Skills without a split: the sentences of small talk, and the numbers of sums beyond 99. */
const unsplit: readonly Skill[] = [chat, tooHard];

function drawHeldOut(random: Random, words: KeptOutWords, skills: readonly Skill[]): Conversation {
  for (;;) {
    words.startConversation();
    const skill = random.pick(skills);
    const conversation = skill(random, words);
    if (unsplit.includes(skill) || words.areIn(conversation)) return conversation;
  }
}

/**
 * Held-out prompts, which are the same for the same seed. None of them can occur in the corpus,
 * except for small talk and sums beyond 99.
 */
export function heldOutPrompts(perSkill: number, seed = 20_001): Prompt[] {
  const words = new KeptOutWords(groups.flatMap(({ skills }) => skills));
  return groups.flatMap((group, index) => {
    const random = new Random(seed + index);
    return Array.from({ length: perSkill }, () =>
      promptFrom(group, drawHeldOut(random, words, group.skills)),
    ).filter((prompt): prompt is Prompt => prompt !== undefined);
  });
}
