import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Template } from "@huggingface/jinja";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../models/random/random-choices.js";
import type {
  AssistantMessage,
  Conversation,
  Expectation,
  Json,
  Message,
} from "../../../models/training/corpus/conversation.js";
import { json } from "../../../models/training/corpus/json.js";
import { drawConversation, shares } from "../../../models/training/corpus/mixture.js";
import { render } from "../../../models/training/corpus/render.js";
import { arithmetic } from "../../../models/training/corpus/skills/arithmetic.js";
import { readingOn } from "../../../models/training/corpus/skills/reading.js";
import { recallRaw } from "../../../models/training/corpus/skills/recall.js";
import { toolRounds } from "../../../models/training/corpus/skills/tools.js";
import { drawTool } from "../../../models/training/corpus/tools/tool.js";
import { capital, isHeldOut, Lexicon } from "../../../models/training/corpus/words/lexicon.js";
import { groups, heldOutPrompts, type Prompt } from "../../../models/training/eval/prompts.js";
import { requestBody } from "../../../models/training/eval/request.js";
import { type Answer, isRight } from "../../../models/training/eval/score.js";

const skills = shares.map(({ name, skill }) => [name, skill] as const);
const train = new Lexicon("train");
const heldOut = new Lexicon("heldout");
const textOf = (conversation: Conversation) =>
  render(conversation)
    .map(({ text }) => text)
    .join("");

function drawn(seed: number, count: number): Conversation[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => drawConversation(random, train, 1).conversation);
}

function lastOf({ messages }: Conversation): AssistantMessage {
  const last = messages.at(-1);
  if (last?.role !== "assistant") throw new Error("expected the assistant to speak last");
  return last;
}

describe("the training corpus", () => {
  it("is the same for the same seed, and different for a different seed", () => {
    const [once, again, other] = [drawn(3, 300), drawn(3, 300), drawn(4, 300)];
    expect(again).toEqual(once);
    expect(other).not.toEqual(once);
  });

  it("contains every skill, and conversations with several topics and with thinking", () => {
    const random = new Random(5);
    const names = new Set<string>();
    for (let i = 0; i < 9000; i += 1) names.add(drawConversation(random, train, 1).share.name);
    expect(names).toEqual(new Set(shares.map(({ name }) => name)));
    expect(drawn(6, 500).some(({ thinking }) => thinking)).toBe(true);
    expect(drawn(6, 500).some(({ messages }) => messages.length > 8)).toBe(true);
  });

  it("asks to recall earlier text only, verbatim", () => {
    const random = new Random(8);
    for (let i = 0; i < 500; i += 1) {
      const { messages } = recallRaw(random, train);
      messages.forEach(({ role, content }, at) => {
        if (role !== "assistant") return;
        const said = messages.slice(0, at).map((message) => message.content);
        expect(said.some((text) => text.includes(content))).toBe(true);
      });
    }
  });

  it("names each tool with a verb and a noun", () => {
    const random = new Random(11);
    for (let i = 0; i < 500; i += 1) {
      const { tool, noun } = drawTool(random, train, train.toolVerb(random), new Set());
      expect(tool.name.replaceAll("_", "").toLowerCase()).toContain(noun.replaceAll(" ", ""));
    }
  });

  it("omits the verb of a tool name more often in training than in the evaluation", () => {
    const without = (words: Lexicon) => {
      const random = new Random(12);
      const names = Array.from({ length: 900 }, () => words.toolName(random, "fetch", "tide"));
      return names.filter((name) => name === "tide").length;
    };
    expect(without(heldOut)).toBeGreaterThan(50);
    expect(without(train)).toBeGreaterThan(1.4 * without(heldOut));
  });

  it("contains requests that call one tool with two different values", () => {
    const random = new Random(13);
    const twice = Array.from({ length: 200 }, () => toolRounds(random, train)).flatMap(
      ({ messages }) =>
        messages.flatMap((message, at) => {
          const [one, other, ...more] = message.role === "assistant" ? (message.calls ?? []) : [];
          if (one === undefined || one.name !== other?.name || more.length > 0) return [];
          return [{ request: messages[at - 1]?.content, one, other }];
        }),
    );
    expect(twice.length).toBeGreaterThan(10);
    for (const { request, one, other } of twice) {
      const [first, second] = [one, other].map((call) => Object.values(call.arguments).join());
      expect(first).not.toBe(second);
      expect(request).toContain(`${first} and ${second}`);
    }
  });

  it("repeats some words of a passage, but none from the evaluation", () => {
    const repeats = (words: Lexicon) => {
      const random = new Random(14);
      const passages = Array.from({ length: 400 }, () => words.someWords(random, 4));
      return passages.filter((passage) => new Set(passage).size < passage.length).length;
    };
    expect(repeats(train)).toBeGreaterThan(40);
    expect(repeats(heldOut)).toBeLessThan(repeats(train) / 4);
  });

  it("asks about a person by name or by pronoun, and answers with the name", () => {
    const random = new Random(15);
    const asked = Array.from({ length: 200 }, () => readingOn(random, train)).map(
      ({ messages }) => messages.slice(-2).map(({ content }) => content) as [string, string],
    );
    const byPronoun = asked.filter(([ask]) => /\b(he|she|his|her)\b/i.test(ask));
    expect(byPronoun.length).toBeGreaterThan(40);
    expect(byPronoun.length).toBeLessThan(asked.length);
    for (const [, answer] of byPronoun) expect(answer).not.toMatch(/^(he|she|his|her)\b/i);
  });

  it.each(skills)("ends with an assistant answer to learn: %s", (_, skill) => {
    const random = new Random(7);
    for (let i = 0; i < 200; i += 1) {
      const conversation = skill(random, train);
      const { content, calls = [] } = lastOf(conversation);
      expect(content !== "" || calls.length > 0).toBe(true);
      const learnt = render(conversation).filter(({ learn }) => learn);
      expect(learnt.at(-1)?.text).toContain(content);
      expect(learnt.at(-1)?.text.endsWith("<|im_end|>")).toBe(true);
    }
  });
});

describe("the vocabularies of training and evaluation", () => {
  const lists = [
    "givenNames",
    "familyNames",
    "places",
    "animals",
    "foods",
    "things",
    "jobs",
    "adjectives",
    "toolNouns",
  ] as const;

  it.each(lists)("share no %s", (list) => {
    expect(train[list].length).toBeGreaterThan(heldOut[list].length);
    expect(heldOut[list].length).toBeGreaterThan(0);
    const common = new Set(train[list].map((word) => word.toLowerCase()));
    expect(heldOut[list].filter((word) => common.has(word.toLowerCase()))).toEqual([]);
  });

  it("share no tool verb", () => {
    const verbs = ({ toolVerbs }: Lexicon) => new Set(toolVerbs.map(([verb]) => verb));
    expect([...verbs(heldOut)].filter((verb) => verbs(train).has(verb))).toEqual([]);
    expect(verbs(heldOut).size).toBeGreaterThan(0);
  });

  it("share no invented word, in any letter case", () => {
    const random = new Random(8);
    const invent = (words: Lexicon) => [words.invented(random), words.scramble(random)];
    for (let i = 0; i < 2000; i += 1) {
      for (const word of invent(train)) expect(isHeldOut(capital(word))).toBe(false);
      for (const word of invent(heldOut)) expect(isHeldOut(word.toUpperCase())).toBe(true);
    }
  });

  it("share no tool noun, although training combines most of its nouns", () => {
    const random = new Random(9);
    const listed = new Set([...train.toolNouns, ...heldOut.toolNouns]);
    const taught = Array.from({ length: 2000 }, () => train.toolNoun(random));
    const asked = Array.from({ length: 2000 }, () => heldOut.toolNoun(random));
    expect(taught.filter(isHeldOut)).toEqual([]);
    expect(taught.filter((noun) => listed.has(noun)).length).toBeLessThan(taught.length / 2);
    expect(asked.filter((noun) => !isHeldOut(noun) || !listed.has(noun))).toEqual([]);
  });

  it("use unusual argument keys in training only", () => {
    const random = new Random(10);
    const keys = (words: Lexicon) =>
      new Set(Array.from({ length: 200 }, () => words.argumentKey(random, "city")));
    expect(keys(train).size).toBeGreaterThan(20);
    expect([...keys(heldOut)]).toEqual(["city"]);
  });

  it("have no pair of summands in common", () => {
    for (let a = 0; a < 100; a += 1) {
      for (let b = 0; a + b < 100; b += 1) {
        expect(train.owns(`${a}+${b}`)).toBe(!heldOut.owns(`${a}+${b}`));
      }
    }
  });
});

describe("single-column sums and differences", () => {
  const answers = (words: Lexicon, count: number) => {
    const random = new Random(12);
    return Array.from({ length: count }, () => lastOf(arithmetic(random, words)).content);
  };
  const digits = Array.from({ length: 10 }, (_, digit) => digit);
  const ofTwo = digits.flatMap((a) => digits.map((b) => `${a} + ${b} = ${a + b}`));
  const borrowed = digits.flatMap((result) =>
    digits.filter((b) => result + b > 9).map((b) => `${result + b} - ${b} = ${result}`),
  );

  it("are all part of the training corpus", () => {
    const taught = new Set(answers(train, 40_000));
    expect([...ofTwo, ...borrowed].filter((sum) => !taught.has(sum))).toEqual([]);
  });

  it("are not part of the evaluation, because only examples can teach them", () => {
    const short = answers(heldOut, 2000).filter((answer) => !answer.includes(", so "));
    expect(short).toEqual([]);
  });
});

describe("the held-out prompts", () => {
  const keyOf = (system: string | undefined, tools: readonly unknown[], messages: unknown) =>
    JSON.stringify([system ?? "", tools, messages]);

  /** The questions of a conversation, as text. */
  function questionsOf({ system, tools = [], messages }: Conversation): string[] {
    return messages.flatMap((message, index) =>
      message.role === "assistant" ? [keyOf(system, tools, messages.slice(0, index))] : [],
    );
  }

  /** Small talk and sums beyond 99 are shared by training and evaluation. */
  const isSplit = ({ skill, expect: { kind, ...rest } }: Prompt) =>
    skill !== "small talk" && !JSON.stringify(rest).includes("only add and subtract");
  const asked = heldOutPrompts(100).filter(isSplit);

  it("are the same for the same seed, with the requested number per skill", () => {
    const prompts = heldOutPrompts(5, 1);
    expect(heldOutPrompts(5, 1)).toEqual(prompts);
    expect(heldOutPrompts(5, 2)).not.toEqual(prompts);
    for (const { name } of groups) {
      expect(prompts.filter(({ skill }) => skill === name)).toHaveLength(5);
    }
  });

  it("occur in none of a thousand training conversations of each skill", () => {
    const random = new Random(9);
    const trained = new Set<string>();
    for (const { skill } of shares) {
      for (let i = 0; i < 1000; i += 1) {
        for (const question of questionsOf(skill(random, train))) trained.add(question);
      }
    }
    const leaked = asked.filter(({ system, tools, messages }) =>
      trained.has(keyOf(system, tools, messages)),
    );
    expect(leaked).toEqual([]);
    expect(asked.length).toBeGreaterThan(1500);
  });
});

describe("a rendered conversation", () => {
  const source = readFileSync(
    fileURLToPath(new URL("../../../models/chat-template.jinja", import.meta.url)),
    "utf8",
  );
  const template = new Template(source.trimEnd());

  /** A message as passed to the template, with arguments as objects. */
  function toTemplate(message: Message): Record<string, unknown> {
    if (message.role !== "assistant" || message.calls === undefined) return { ...message };
    const calls = message.calls.map((call) => ({ type: "function", function: call }));
    return { role: "assistant", content: message.content, tool_calls: calls };
  }

  function printed({ system, tools = [], thinking, messages }: Conversation, opened: boolean) {
    const expectation = { kind: "no-call" } as const;
    const prompt = { skill: "", tools, thinking: false, messages: [], expect: expectation };
    return template.render({
      messages: [
        ...(system === undefined ? [] : [{ role: "system", content: system }]),
        ...messages.map(toTemplate),
      ],
      ...(tools.length > 0 && { tools: requestBody(prompt, "").tools }),
      ...(thinking && { enable_thinking: true }),
      add_generation_prompt: opened,
    });
  }

  it.each(skills)("of %s equals the output of the chat template", (_, skill) => {
    for (const words of [train, heldOut]) {
      const random = new Random(10);
      for (let i = 0; i < 100; i += 1) {
        const conversation = skill(random, words);
        expect(textOf(conversation)).toBe(printed(conversation, false));
      }
    }
  });

  it.each(skills)("of %s requests thinking in the same way as the chat template", (_, skill) => {
    const random = new Random(11);
    for (let i = 0; i < 50; i += 1) {
      const conversation = { ...skill(random, train), thinking: true };
      const { messages } = conversation;
      const prompt = printed({ ...conversation, messages: messages.slice(0, -1) }, true);
      const { reasoning = "" } = lastOf(conversation);
      expect(textOf(conversation).slice(0, prompt.length)).toBe(prompt);
      expect(textOf(conversation).slice(prompt.length)).toMatch(/^<think>\n/);
      expect(textOf(conversation)).toContain(`<think>\n${reasoning}\n</think>\n\n`);
    }
  });

  it("serialises JSON in the same way as the chat template", () => {
    const printer = new Template("{{ value | tojson }}");
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(json(value as Json)).toBe(printer.render({ value }));
      }),
    );
  });

  it("of several topics equals the output of the chat template", () => {
    for (const conversation of drawn(12, 500).filter(({ thinking }) => !thinking)) {
      expect(textOf(conversation)).toBe(printed(conversation, false));
    }
  });
});

describe("the scorer", () => {
  const answered = ({ content, calls = [] }: AssistantMessage): Answer => ({
    content,
    reasoning: "",
    calls: calls.map((call) => ({ name: call.name, arguments: json({ ...call.arguments }) })),
    finishReason: "stop",
  });

  function judged(skill: (typeof skills)[number][1]): [Expectation, Answer][] {
    return [train, heldOut].flatMap((words) => {
      const random = new Random(13);
      return Array.from({ length: 200 }, (): [Expectation, Answer] => {
        const conversation = skill(random, words);
        if (conversation.expect === undefined) throw new Error("expected an expectation");
        return [conversation.expect, answered(lastOf(conversation))];
      });
    });
  }

  it.each(skills)("accepts the corpus's own answers: %s", (_, skill) => {
    for (const [expectation, answer] of judged(skill)) {
      expect(isRight(expectation, answer) || [expectation, answer]).toBe(true);
    }
  });

  const exactKinds: readonly Expectation["kind"][] = ["equals", "json", "calls"];
  const exactSkills = skills.filter(([, skill]) =>
    judged(skill).some(([{ kind }]) => exactKinds.includes(kind)),
  );

  it("scores only skills with a single correct answer", () => {
    expect(exactSkills.map(([name]) => name)).toEqual(
      expect.arrayContaining(["copy", "json", "tool-call", "tool-two", "tool-response"]),
    );
  });

  /** The text with one letter or digit replaced. */
  function misspelt(text: string, random: Random): string {
    const places = [...text.matchAll(/[a-z\d]/gi)].map(({ index }) => index);
    const at = random.pick(places);
    const other = random.pick([..."abcxyz123"].filter((letter) => letter !== text[at]));
    return text.slice(0, at) + other + text.slice(at + 1);
  }

  it.each(exactSkills)("refuses an exact answer with one character replaced: %s", (_, skill) => {
    const random = new Random(14);
    const exact = judged(skill).filter(([{ kind }]) => exactKinds.includes(kind));
    for (const [expectation, answer] of exact) {
      const [first, ...others] = answer.calls;
      const wrong =
        first === undefined
          ? { ...answer, content: misspelt(answer.content, random) }
          : { ...answer, calls: [{ ...first, name: misspelt(first.name, random) }, ...others] };
      expect(isRight(expectation, wrong)).toBe(false);
      if (first !== undefined && first.arguments !== "{}") {
        const argument = { ...first, arguments: misspelt(first.arguments, random) };
        expect(isRight(expectation, { ...answer, calls: [argument, ...others] })).toBe(false);
      }
    }
  });
});
