import { Random } from "../../random/random-choices.js";
import type { Conversation, Skill } from "../corpus/conversation.js";
import { Lexicon } from "../corpus/words/lexicon.js";

/** Conversations of each skill that tell which words its sentences hold by themselves. */
const SAMPLE = 300;

/** What the model reads before its last answer, without the structure. */
function promptText({ system = "", tools = [], messages }: Conversation): string {
  const described = tools.map(({ name, description, parameters }) =>
    [name, description, ...Object.keys(parameters)].join(" "),
  );
  return [system, ...described, ...messages.slice(0, -1).map(({ content }) => content)].join("\n");
}

const wordsOf = (text: string): string[] => text.match(/\p{L}+/gu) ?? [];

/** The words of the evaluation, with a note of those that a conversation was made with. */
export class KeptOutWords extends Lexicon {
  readonly #listed: ReadonlySet<string>;
  #made: string[] = [];

  /** @param skills those whose sentences may hold a word by themselves. */
  constructor(skills: readonly Skill[]) {
    super("heldout");
    const [random, training] = [new Random(1), new Lexicon("train")];
    const trained = skills.flatMap((skill) =>
      Array.from({ length: SAMPLE }, () => wordsOf(promptText(skill(random, training)))).flat(),
    );
    const lists = [
      this.givenNames,
      this.familyNames,
      this.places,
      this.animals,
      this.foods,
      this.things,
      this.jobs,
      this.adjectives,
      this.toolNouns,
    ];
    const known = new Set(trained);
    this.#listed = new Set(
      lists
        .flat()
        .flatMap(wordsOf)
        .filter((word) => !known.has(word)),
    );
  }

  override owns(key: string): boolean {
    const own = super.owns(key);
    if (own) this.#made.push(key);
    return own;
  }

  /** Forgets what earlier conversations were made with. */
  startConversation(): void {
    this.#made = [];
  }

  /**
   * Whether the prompt of the conversation that was made last holds a word, or is about a pair,
   * that training never sees. Some sentences of a skill have no place for one.
   */
  areIn(conversation: Conversation): boolean {
    const said = wordsOf(promptText(conversation));
    const small = new Set(said.map((word) => word.toLowerCase()));
    const isWord = (key: string) => /^\p{L}+$/u.test(key);
    return (
      said.some((word) => this.#listed.has(word)) ||
      this.#made.some((key) => !isWord(key) || small.has(key))
    );
  }
}
