/**
 * Does the same work for the numbers from 0 on, in order, several at a time.
 * @returns the results by number.
 */
export async function inParallel<Result>(
  count: number,
  atATime: number,
  work: (number: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(count);
  const numbers = results.keys();
  const worker = async () => {
    for (const number of numbers) results[number] = await work(number);
  };
  await Promise.all(Array.from({ length: Math.min(atATime, count) }, worker));
  return results;
}
