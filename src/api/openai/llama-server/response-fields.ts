import { isJsonObject } from "../../../core/json-object.js";

/**
 * The fields of an answer that a request asks for, as llama-server gives them: a path with slashes
 * becomes the name of what is found there. Fields that there are not are left out.
 * @param paths absent: the whole answer
 */
export function pickFields(answer: object, paths: readonly string[] | undefined): object {
  if (paths === undefined || paths.length === 0) return answer;
  return Object.fromEntries(
    paths.map((path) => [path, valueAt(answer, path)]).filter(([, value]) => value !== undefined),
  );
}

function valueAt(answer: unknown, path: string): unknown {
  return path
    .split("/")
    .reduce<unknown>(
      (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
      answer,
    );
}
