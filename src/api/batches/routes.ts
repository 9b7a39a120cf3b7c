import { readUploadForms } from "../../http/form-upload.js";
import type { DescribedGroup } from "../description/described-route.js";
import { type BatchContext, requireBatches } from "../fields/batches.js";
import { openAiErrorFormat } from "../fields/described-errors.js";
import { ownerOf } from "../fields/owner.js";
import { batchRoutes } from "./batch-routes.js";
import { fileCollectionRoutes, fileRoutes } from "./file-routes.js";
import { FILE_FIELD } from "./schema.js";

const tag = "Batches";

/** The upload of files, whose requests are forms, and their list. */
export const uploadGroup: DescribedGroup<BatchContext> = {
  tag,
  about: "Stored files, and batches of requests that run in the background.",
  errors: openAiErrorFormat,
  setUp: (scope, context) =>
    readUploadForms(scope, {
      fileField: FILE_FIELD,
      maxFileBytes: context.maxUploadBytes,
      receive: async (request, source) =>
        requireBatches(context).files.receive(ownerOf(request), source),
    }),
  routes: fileCollectionRoutes,
};

/** OpenAI's files and batches, except `/v1/files` itself. */
export const batchesGroup: DescribedGroup<BatchContext> = {
  tag,
  errors: openAiErrorFormat,
  routes: [...fileRoutes, ...batchRoutes],
};
