import mermaidUrl from "mermaid/dist/mermaid.min.js?url";

/** Script of Mermaid, loaded on the first preview of a diagram. */
let script: Promise<string> | undefined;

/** Returns the script of Mermaid, which runs only in frames of previews. */
export async function readMermaid(): Promise<string> {
  script ??= fetchScript();
  try {
    return await script;
  } catch (error) {
    // The next preview tries again.
    script = undefined;
    throw error;
  }
}

async function fetchScript(): Promise<string> {
  const response = await fetch(mermaidUrl);
  if (!response.ok) throw new Error(`expected status 200, got ${response.status}`);
  return response.text();
}
