import { type CacheSize, mostSlots } from "./cache-size.js";
import { fitsComfortably, gpuLayersOf, type MemoryPlan, type PlanQuestion } from "./memory-plan.js";

/** Contexts that `ggufd plan` names the most slots for, in tokens. */
const CONTEXT_SIZES = [4096, 8192, 16_384, 32_768, 65_536, 131_072];
/** More slots than this are for machines that are planned by hand. */
const MAX_SLOTS = 64;

/** The sizes that fit with the layers of a plan: for each of some contexts, the most slots. */
export async function fittingSizes(
  question: PlanQuestion,
  plan: MemoryPlan,
): Promise<readonly CacheSize[]> {
  const { layout } = plan;
  const fits = (size: CacheSize) =>
    fitsComfortably(question, gpuLayersOf(plan), { ...size, layout });
  const { trainContextSize } = question.main;
  const ownContextSize = Math.min(trainContextSize, Math.max(...CONTEXT_SIZES));
  const shorter = CONTEXT_SIZES.filter((size) => size < ownContextSize);
  const sizes: CacheSize[] = [];
  for (const contextSize of [...shorter, ownContextSize]) {
    const slots = await mostSlots(contextSize, { min: 0, max: MAX_SLOTS }, fits);
    if (slots > 0) sizes.push({ slots, contextSize });
  }
  return sizes;
}
