/**
 * Entry point of the planning process, which reads model files with native code that may crash it.
 */
import { formatReason } from "../core/format-reason.js";
import { setUpChild } from "../process/set-up-child.js";
import { inspectFiles } from "./inspect-files.js";
import type { FromPlanner, ToPlanner } from "./plan-process.js";
import { measureFreeMemory, plannedUseOf, planSpecs } from "./plan-specs.js";

const send: (answer: FromPlanner) => void = setUpChild("ggufd plan");

process.on("message", (request: ToPlanner) => {
  answerTo(request).then(send, (error: unknown) =>
    send({ type: "refused", reason: formatReason(error) }),
  );
});

async function answerTo(request: ToPlanner): Promise<FromPlanner> {
  if (request.type === "inspect") {
    return { type: "inspected", facts: await inspectFiles(request.paths) };
  }
  if (request.type === "measure") {
    return { type: "measured", free: await measureFreeMemory(request.gpu) };
  }
  const report = await planSpecs(request.models, request.machine);
  return { type: "planned", plan: { report, uses: report.models.map(plannedUseOf) } };
}
