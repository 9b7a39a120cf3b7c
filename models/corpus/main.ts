import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { Encoder } from "../tokenizer/encode.js";
import { learnMerges } from "../tokenizer/learn.js";
import { type Vocabulary, vocabularyFrom } from "../tokenizer/vocabulary.js";
import { drawConversation, LATE_FROM, shares } from "./mixture.js";
import { Random } from "./random.js";
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
  from: number,
  count: number,
): void {
  for (let i = from; i < count; i += 1) {
    const random = new Random(seed * 7919 + i);
    const shard = new Shard(encoder);
    const progress = Math.min(1, i / (LATE_FROM * count));
    while (shard.length < shardTokens) {
      const { share, conversation } = drawConversation(random, words, progress);
      shard.add(conversation, shares.indexOf(share));
    }
    shard.write(folder, `train-${String(i).padStart(3, "0")}`);
    console.log(`shard ${i + 1}/${count}: ${shard.length} tokens`);
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

const { values } = parseArgs({
  options: {
    out: { type: "string", default: ".cache/ggufd-mini" },
    seed: { type: "string", default: "1" },
    shards: { type: "string", default: "24" },
    from: { type: "string", default: "0" },
  },
});
mkdirSync(values.out, { recursive: true });
const path = join(values.out, "vocabulary.json");
if (!existsSync(path)) writeFileSync(path, JSON.stringify(learnVocabulary(Number(values.seed))));
const vocabulary = JSON.parse(readFileSync(path, "utf8")) as Vocabulary;
const encoder = new Encoder(vocabulary);
console.log(`vocabulary: ${vocabulary.tokens.length} tokens`);
writeHeldOut(encoder, values.out, 12);
const pieces = vocabulary.tokens.filter((token) => /^[a-z]{2,6}$/.test(token));
const words = new Lexicon("train", pieces);
writeShards(
  { encoder, words },
  values.out,
  Number(values.seed),
  Number(values.from),
  Number(values.shards),
);
