import type { Message, Skill } from "../conversation.js";
import { answeredLast, assistant, fill, typed, user } from "../phrasing.js";
import { askedPeople, type By, drawPeople, otherTopics, topics } from "./memory.js";

const shapes = [
  { line: "{k}: {v}", between: "\n" },
  { line: "{k} = {v}", between: "\n" },
  { line: "{k} is {v}", between: ", " },
  { line: "{k} {v}", between: ", " },
  { line: '"{k}": "{v}"', between: ", " },
  { line: "the {k} is {v}", between: " and " },
] as const;

const keyQuestions = ["{k}?", "{k}", "What is {k}?", "And {k}?"] as const;

/** Keys and values of invented words, and a question for each key's value. */
export const recallRaw: Skill = (random, words) => {
  const { line, between } = random.pick(shapes);
  const syllables = random.int(1, 2);
  const keys = new Set(
    Array.from({ length: random.int(2, 6) }, () => words.invented(random, syllables)),
  );
  const pairs = [...keys].map((k) => ({ k, v: words.anyWord(random) }));
  const ask = random.pick(keyQuestions);
  const [first, ...rest] = random.sample(pairs, pairs.length);
  if (first === undefined) throw new RangeError("a pair at least");
  const listed = pairs.map((pair) => fill(line, pair)).join(between);
  return answeredLast([
    user(`${listed}\n${fill(ask, first)}`),
    assistant(fill(line, first)),
    ...rest.flatMap((pair) => [user(fill(ask, pair)), assistant(fill(line, pair))]),
  ]);
};

/**
 * Several people with different roles, nearly all requested: by the stated attribute, some also by
 * the other.
 */
export const recallPeople: Skill = (random, words) => {
  const { told, pairs } = drawPeople(random, words, random.int(2, 5));
  const messages: Message[] = random.chance(0.5)
    ? [user(told), assistant("I will remember that.")]
    : [];
  const asked = random.sample(pairs, random.int(2, pairs.length)).flatMap((pair) => {
    const other: By = pair.first === "name" ? "role" : "name";
    const ways = random.chance(0.3) ? random.sample([pair.first, other], 2) : [pair.first];
    return ways.map((by) => ({ pair, by }));
  });
  for (const { pair, by } of asked) {
    const { ask, answer } = askedPeople(random, pair, by);
    const text = messages.length === 0 ? `${told} ${ask}` : ask;
    messages.push(user(text), assistant(answer));
  }
  return answeredLast(messages);
};

/**
 * Facts stated in sequence, at once or in the system prompt, all of them requested, mixed with
 * facts that were not stated.
 */
export const recallFacts: Skill = (random, words) => {
  const asked = random
    .sample(topics, random.int(2, 6))
    .map((topic) => ({ topic, slots: { x: topic.value(random, words) } }));
  const told = asked.slice(0, random.pick([asked.length, asked.length - 1, 2]));
  const questions = random
    .sample(asked, asked.length)
    .flatMap((one) => [
      user(typed(random, random.pick(one.topic.ask))),
      assistant(told.includes(one) ? fill(one.topic.answer, one.slots) : one.topic.unknown),
    ]);
  const way = random.int(0, 2);
  if (way === 0)
    return {
      system: told.map(({ topic, slots }) => fill(topic.system, slots)).join(" "),
      ...answeredLast(questions),
    };
  const sentences = told.map(({ topic, slots }) => ({
    said: typed(random, random.pick(topic.tell), slots),
    note: fill(topic.note, slots),
  }));
  const telling =
    way === 1
      ? sentences.flatMap(({ said, note }) => [user(said), assistant(note)])
      : [user(sentences.map(({ said }) => said).join(" ")), assistant("I will remember that.")];
  return answeredLast([...telling, ...otherTopics(random, words, 1), ...questions]);
};
