import type { Random } from "../../../random/random-choices.js";
import type { Message, Skill } from "../conversation.js";
import { assistant, typed, user } from "../phrasing.js";
import { article, type Lexicon } from "../words/lexicon.js";

const asks = [
  "Tell me a story about {h}.",
  "Write a short story about {h}.",
  "Tell a story about {h}.",
  "Make up a short story about {h}.",
  "I want to hear a story about {h}.",
  "A story about {h}, please.",
  "Can you tell me a short story about {h}?",
  "Write a story with {h} as the hero.",
  "Please tell a story in which {h} is the hero.",
  "Tell me a bedtime story about {h}.",
];
const withoutHero = [
  "Tell me a story.",
  "Write a short story.",
  "Tell a story.",
  "A story, please.",
  "Do you know a story?",
  "Can you tell me a story?",
  "Tell me a bedtime story.",
  "Write a story.",
];
const ownHero = { hero: "a little robot", subject: "the little robot" };
const openings = [
  "Once upon a time there was {h}.",
  "Long ago, in a small town, there lived {h}.",
  "This is the story of {h}.",
];
const troubles = [
  "One day, {s} found an old map in the garden.",
  "One morning, {s} heard a strange noise.",
  "One day, {s} got lost in a dark forest.",
  "One evening, {s} saw a light on the hill.",
  "One day, {s} lost a golden key.",
];
const turns = [
  "A friendly bird showed the way.",
  "The way was long, but a kind old man helped.",
  "It was cold and dark, but there was no fear.",
  "A little mouse knew what to do.",
  "After three days, everything changed.",
];
const endings = [
  "In the end, {s} came home happy, and everybody had cake.",
  "At last, {s} found a treasure and shared it with everybody.",
  "From that day on, {s} was never alone again.",
  "Then {s} went home and slept well. The end.",
];

const anothers = [
  "Another one please.",
  "Another one, please!",
  "Tell me another one.",
  "One more story, please.",
  "Another story.",
  "Again!",
];

const aboutWhom = [
  "What was the story about?",
  "Who was the story about?",
  "Who is the hero of the story?",
  "Who was the hero?",
];

/** Person named by the user; otherwise the story invents a hero. */
interface Hero {
  readonly hero: string;
  /** Name of the hero from the second sentence on. */
  readonly subject: string;
  readonly asks: readonly string[];
}

function drawHero(random: Random, words: Lexicon): Hero {
  const name = words.name(random);
  const creature = random.weighted([
    [5, words.animal(random)],
    [5, words.job(random)],
    [1, random.pick(["robot", "dragon", "knight", "ghost"])],
  ]);
  const place = words.place(random);
  const adjective = words.adjective(random);
  if (!random.chance(0.88)) return { ...ownHero, asks: withoutHero };
  const [hero, subject] = random.weighted([
    [4, [name, name]],
    [3, [`${article(creature)} ${creature}`, `the ${creature}`]],
    [3, [`${article(creature)} ${creature} called ${name}`, name]],
    [1, [`${name} from ${place}`, name]],
    [1, [`${article(adjective)} ${adjective} ${creature}`, `the ${creature}`]],
  ] as const);
  return { hero, subject, asks };
}

/** Follow-up to a story, and the content of the last answer. */
interface Sequel {
  readonly said: readonly Message[];
  readonly holds: readonly string[];
}

/** A few sentences about a hero that the user names. */
export const story: Skill = (random, words) => {
  const { hero, subject, asks } = drawHero(random, words);
  const slots = (text: string): string => text.replaceAll("{h}", hero).replaceAll("{s}", subject);
  const tell = (): Message => {
    const parts = [openings, troubles, turns, endings].map((part) => slots(random.pick(part)));
    return assistant(parts.join(" "), `The hero of the story is ${hero}.`);
  };
  const sequel = random.weighted<() => Sequel>([
    [7, () => ({ said: [], holds: [hero, subject] })],
    [
      2,
      () => ({
        said: [user(typed(random, random.pick(anothers))), tell()],
        holds: [hero, subject],
      }),
    ],
    [
      1,
      () => ({
        said: [
          user(typed(random, random.pick(aboutWhom))),
          assistant(`It was about ${hero}.`, `The hero of the story is ${hero}.`),
        ],
        holds: [hero],
      }),
    ],
  ]);
  const { said, holds } = sequel();
  const ask = typed(random, random.pick(asks), { h: hero });
  return {
    messages: [user(ask), tell(), ...said],
    expect: { kind: "contains", all: holds },
  };
};
