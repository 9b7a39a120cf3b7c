import { Random } from "../../random/random-choices.js";
import type { Conversation, Skill } from "../corpus/conversation.js";
import { Lexicon } from "../corpus/words/lexicon.js";

/** Conversations per skill that are sampled to find the words in its own sentences. */
const SAMPLE = 300;

/** Text before the model's last answer, without structure. */
function promptText({ system = "", tools = [], messages }: Conversation): string {
  const described = tools.map(({ name, description, parameters }) =>
    [name, description, ...Object.keys(parameters)].join(" "),
  );
  return [system, ...described, ...messages.slice(0, -1).map(({ content }) => content)].join("\n");
}

const wordsOf = (text: string): string[] => text.match(/\p{L}+/gu) ?? [];

/** Words of the evaluation, with a record of the words used by a conversation. */
export class KeptOutWords extends Lexicon {
  readonly #listed: ReadonlySet<string>;
  #made: string[] = [];

  /** @param skills whose sentences may contain a word by themselves */
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

  /** Resets the record of words. */
  startConversation(): void {
    this.#made = [];
  }

  /**
   * Whether the prompt of the last conversation contains a held-out word, or concerns a held-out
   * pair. Some sentences of a skill have no slot for one.
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
