/**
 * Calls `work` with 0 to `count` - 1, in order, with limited concurrency.
 * @returns the results by number.
 */
export async function inParallel<Result>(
  count: number,
  maxConcurrency: number,
  work: (number: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(count);
  const numbers = results.keys();
  const worker = async () => {
    for (const number of numbers) results[number] = await work(number);
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrency, count) }, worker));
  return results;
}
