import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { nonEmptyText } from "../../../src/validation/fields.js";
import { integerFlag, readFlags } from "../../command-line/flags.js";
import { runScript } from "../../command-line/run-script.js";
import { Random } from "../../random/random-choices.js";
import { Encoder } from "../tokenizer/encode.js";
import { learnMerges } from "../tokenizer/learn.js";
import { type Vocabulary, vocabularyFrom } from "../tokenizer/vocabulary.js";
import { readVocabulary, writeVocabulary } from "../tokenizer/vocabulary-file.js";
import { drawConversation, LATE_FROM, shares } from "./mixture.js";
import { render } from "./render.js";
import { Shard } from "./shard.js";
import { Lexicon } from "./words/lexicon.js";

const budget = { letters: 720, marks: 110 };
const shardTokens = 1_000_000;

function learnVocabulary(seed: number): Vocabulary {
  const words = new Lexicon("train");
  const random = new Random(seed);
  const texts: string[] = [];
  for (let i = 0; i < 30_000; i += 1) {
    const { conversation } = drawConversation(random, words, 1);
    for (const { text } of render(conversation)) texts.push(...text.split(/<[^<>\s]+>/));
  }
  return vocabularyFrom(learnMerges(texts, budget));
}

function writeShards(
  { encoder, words }: { readonly encoder: Encoder; readonly words: Lexicon },
  folder: string,
  seed: number,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  for (let i = from; i < to; i += 1) {
    const random = new Random(seed * 7919 + i);
    const shard = new Shard(encoder);
    const progress = Math.min(1, i / (LATE_FROM * to));
    while (shard.length < shardTokens) {
      const { share, conversation } = drawConversation(random, words, progress);
      shard.add(conversation, shares.indexOf(share));
    }
    shard.write(folder, `train-${String(i).padStart(3, "0")}`);
    console.log(`shard ${i + 1}/${to}: ${shard.length} tokens`);
  }
}

function writeHeldOut(encoder: Encoder, folder: string, perSkill: number): void {
  const words = new Lexicon("heldout");
  const random = new Random(4242);
  const shard = new Shard(encoder);
  shares.forEach(({ skill }, index) => {
    for (let i = 0; i < perSkill; i += 1) shard.add(skill(random, words), index);
  });
  shard.write(folder, "heldout");
  writeFileSync(join(folder, "skills.json"), JSON.stringify(shares.map(({ name }) => name)));
}

/**
 * `tsx models/training/corpus/main.ts --out FOLDER`: writes shards for `train.py`, and a vocabulary
 * if there is none.
 */
await runScript(async (args) => {
  const { out, seed, shards, from } = readFlags(args, {
    out: nonEmptyText().default(".cache/ggufd-mini/data"),
    seed: integerFlag(0, 1_000_000).default(1),
    shards: integerFlag(1, 1_000).default(24),
    from: integerFlag(0, 1_000).default(0),
  });
  mkdirSync(out, { recursive: true });
  const path = join(out, "vocabulary.json");
  if (!existsSync(path)) writeVocabulary(path, learnVocabulary(seed));
  const vocabulary = readVocabulary(path);
  const encoder = new Encoder(vocabulary);
  console.log(`vocabulary: ${vocabulary.tokens.length} tokens`);
  writeHeldOut(encoder, out, 12);
  const pieces = vocabulary.tokens.filter((token) => /^[a-z]{2,6}$/.test(token));
  const words = new Lexicon("train", pieces);
  writeShards({ encoder, words }, out, seed, { from, to: shards });
});
