/**
 * Begins to measure how busy this process is.
 * @returns a function that tells the CPU time used since, as a share of one core: a client that
 * comes near 1 measures itself.
 */
export function startCpuShare(): () => number {
  const cpu = process.cpuUsage();
  const begin = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000 / (performance.now() - begin);
  };
}
