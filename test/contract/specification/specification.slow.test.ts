import { expect, test } from "vitest";
import { rows } from "./rows.js";
import { Server } from "./server.js";

const head = `# The specification, row by row

This table compares each requirement of the interface specification with the server's actual responses. A test sends the requests of every
row and compares the responses with this page; \`npx vitest run test/contract/specification -u\` updates it. Decisions on points that the
specification leaves open are in [api.md](api.md#what-the-specification-leaves-open).

| Section | Requirement | Responses |
| ------- | ----------- | --------- |
`;

test("the response for every row matches docs/specification.md", async () => {
  const lines: string[] = [];
  for (const { section, says, see } of rows) {
    const seen = await see(new Server());
    const answers = seen.map((answer) => `\`${answer}\``);
    lines.push(`| ${section} | ${says} | ${answers.join("<br>")} |\n`);
  }
  await expect(head + lines.join("")).toMatchFileSnapshot("../../../docs/specification.md");
});
