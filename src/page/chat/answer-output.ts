import { announce } from "../parts/announcer.js";
import type { FollowedAnswer } from "./follow-answer.js";
import { selectSpokenText } from "./spoken-text.js";

/** Draws an answer at most once per frame, however often it changes. */
export class AnswerRenderer {
  readonly #draw: (answer: FollowedAnswer) => void;
  #next: FollowedAnswer | undefined;

  /** @param draw shows an answer */
  constructor(draw: (answer: FollowedAnswer) => void) {
    this.#draw = draw;
  }

  set(answer: FollowedAnswer): void {
    const isScheduled = this.#next !== undefined;
    this.#next = answer;
    if (isScheduled) return;
    if (document.hidden) this.#drawNext();
    else requestAnimationFrame(() => this.#drawNext());
  }

  /** Stops drawing: a completed answer is shown as the server has stored it. */
  end(): void {
    this.#next = undefined;
  }

  #drawNext(): void {
    const answer = this.#next;
    this.#next = undefined;
    if (answer !== undefined) this.#draw(answer);
  }
}

/** Announces an answer to screen readers, sentence by sentence, while its conversation is shown. */
export class Speaker {
  readonly #isShown: () => boolean;
  #spokenCharacters = 0;

  constructor(isShown: () => boolean) {
    this.#isShown = isShown;
  }

  say(text: string, isComplete: boolean): void {
    const { words, spokenCharacters } = selectSpokenText(text, this.#spokenCharacters, isComplete);
    this.#spokenCharacters = spokenCharacters;
    if (words !== "" && this.#isShown()) announce(words);
  }
}
