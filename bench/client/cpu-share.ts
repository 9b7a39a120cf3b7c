/**
 * Starts measuring this process's CPU usage.
 * @returns a function that returns the CPU time used since, as a share of one core. A load client
 * near 1 is itself the bottleneck.
 */
export function startCpuShare(): () => number {
  const cpu = process.cpuUsage();
  const begin = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000 / (performance.now() - begin);
  };
}
