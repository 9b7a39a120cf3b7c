import { Gauge, type Registry } from "prom-client";
import { createSourceSum, type SourceSum } from "./source-sum.js";

/** State of an answer that is not finished. */
type AnswerState = "waiting" | "running";

/** LoRA adapters that the unfinished answers have chosen. */
export class AdapterUse {
  /** Number of answers by adapter. */
  readonly #counts: Readonly<Record<AnswerState, Map<string, number>>> = {
    waiting: new Map(),
    running: new Map(),
  };

  add(state: AnswerState, adapters: readonly string[]): void {
    const counts = this.#counts[state];
    for (const name of adapters) counts.set(name, (counts.get(name) ?? 0) + 1);
  }

  remove(state: AnswerState, adapters: readonly string[]): void {
    const counts = this.#counts[state];
    for (const name of adapters) {
      const left = (counts.get(name) ?? 0) - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
    }
  }

  /** Names of the adapters of answers in a state, in alphabetical order. */
  list(state: AnswerState): readonly string[] {
    return [...this.#counts[state].keys()].toSorted();
  }
}

/** Sets of adapters that one step computes with; sets alternate between steps. */
const ADAPTER_SETS_OF_A_STEP = 1;

/**
 * Tokens of a block as reported to endpoint pickers. ggufd's cache has no blocks: a cell holds one
 * token, and prefixes are reused token by token. Pickers hash prompts in blocks of this size and
 * compare a limited number of them, so that blocks of one token would hide all but the beginning of
 * a prompt. 16 is vLLM's size and the default of llm-d's picker.
 */
const BLOCK_TOKENS = 16;

const PREFIX = "vllm:";

interface LoadMetric {
  readonly name: string;
  readonly help: string;
  readonly read: (sum: SourceSum) => Promise<number>;
}

const LOAD: readonly LoadMetric[] = [
  {
    name: "num_requests_waiting",
    help: "Answers of all models that wait for a slot.",
    read: (sum) => sum("num_requests_waiting"),
  },
  {
    name: "num_requests_running",
    help: "Answers of all models that have a slot.",
    read: (sum) => sum("num_requests_running"),
  },
  {
    name: "kv_cache_usage_perc",
    help: "Share of all KV caches that answers in progress hold, 0 to 1.",
    read: async (sum) => {
      const cells = await sum("kv_cache_cells");
      return cells === 0 ? 0 : (await sum("kv_cache_cells", { labels: { state: "busy" } })) / cells;
    },
  },
];

/**
 * Exports the metrics of the model server protocol, which endpoint pickers of the Gateway API
 * inference extension read, under vLLM's names. A picker chooses between servers and reads the
 * first series of each metric, so that each has one series, for all models together.
 */
export function registerModelServerMetrics(registry: Registry, adapters: AdapterUse): void {
  const registers = [registry];
  const sum = createSourceSum(registry);
  for (const { name, help, read } of LOAD) {
    new Gauge({
      name: PREFIX + name,
      help,
      registers,
      async collect() {
        this.set(await read(sum));
      },
    });
  }
  new Gauge({
    name: `${PREFIX}lora_requests_info`,
    help: "LoRA adapters of unfinished answers: the time of the scrape, in Unix seconds.",
    labelNames: ["max_lora", "running_lora_adapters", "waiting_lora_adapters"],
    registers,
    collect() {
      this.reset();
      this.set(
        {
          max_lora: String(ADAPTER_SETS_OF_A_STEP),
          running_lora_adapters: adapters.list("running").join(","),
          waiting_lora_adapters: adapters.list("waiting").join(","),
        },
        Date.now() / 1000,
      );
    },
  });
  new Gauge({
    name: `${PREFIX}cache_config_info`,
    help: "Size of all KV caches, in blocks: always 1.",
    labelNames: ["block_size", "num_gpu_blocks"],
    registers,
    async collect() {
      const blocks = Math.floor((await sum("kv_cache_cells")) / BLOCK_TOKENS);
      this.reset();
      this.set({ block_size: String(BLOCK_TOKENS), num_gpu_blocks: String(blocks) }, 1);
    },
  });
}
