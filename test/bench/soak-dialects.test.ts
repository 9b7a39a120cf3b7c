import { describe, expect, it } from "vitest";
import { soakMeasures } from "../../bench/scenarios/soak-dialects.js";

/** One request each second for 400 s, with a latency that depends on its time. */
const requests = (latencyMs: (second: number) => number) =>
  Array.from({ length: 400 }, (_, second) => ({
    startedAtMs: 1000 * second - latencyMs(second),
    endedAtMs: 1000 * second,
    error: second === 7 ? "HTTP 500" : undefined,
  }));
/** A reading each minute for two hours. */
const readings = (serverMb: (minute: number) => number) =>
  Array.from({ length: 120 }, (_, minute) => ({
    atMinutes: minute,
    serverMb: serverMb(minute),
    engineMb: 50,
  }));
const time = { startedAtMs: 0, endsAtMs: 400_000 };

describe("soakMeasures", () => {
  it("returns slopes in MB per hour without the first third", () => {
    const filling = readings((minute) => (minute < 40 ? minute : 40 + (minute - 40) / 30));
    const { serverSlope, serverBeyond, engineSlope, engineBeyond } = soakMeasures(
      requests(() => 10),
      filling,
      time,
    );
    expect(serverSlope).toBeCloseTo(2, 6);
    expect(serverBeyond).toBeCloseTo(2, 6);
    expect([engineSlope, engineBeyond]).toEqual([0, 0]);
  });

  it("reports no growth if memory fluctuates or falls", () => {
    const beyond = (serverMb: (minute: number) => number) =>
      soakMeasures(
        requests(() => 10),
        readings(serverMb),
        time,
      ).serverBeyond;
    expect(beyond((minute) => 100 + 10 * Math.sin(minute))).toBe(0);
    expect(beyond((minute) => 500 - minute)).toBe(0);
  });

  it("compares the latency of the last quarter with that of the second", () => {
    const slower = requests((second) => (second >= 300 ? 30 : 20));
    expect(
      soakMeasures(
        slower,
        readings(() => 1),
        time,
      ),
    ).toMatchObject({
      errors: 1,
      requests: 400,
      latencyP50: 1.5,
      latencyP99: 1.5,
    });
  });
});
