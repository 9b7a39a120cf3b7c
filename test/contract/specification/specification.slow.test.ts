import { expect, test } from "vitest";
import { rows } from "./rows.js";
import { Server } from "./server.js";

const head = `# The specification, row by row

What the interface specification says of resources, endpoints, errors, limits and versions, and what a client sees. A test asks a
server for every row and compares with this page; \`npx vitest run test/contract/specification -u\` writes it anew. What we decided
where the specification is silent is in [api.md](api.md#what-the-specification-leaves-open).

| Section | It says | A client sees |
| ------- | ------- | ------------- |
`;

test("the responses for every row match docs/specification.md", async () => {
  const lines: string[] = [];
  for (const { section, says, see } of rows) {
    const seen = await see(new Server());
    const answers = seen.map((answer) => `\`${answer}\``);
    lines.push(`| ${section} | ${says} | ${answers.join("<br>")} |\n`);
  }
  await expect(head + lines.join("")).toMatchFileSnapshot("../../../docs/specification.md");
});
