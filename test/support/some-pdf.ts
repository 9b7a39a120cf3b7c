/** A page of a PDF. */
export interface PdfPageContent {
  /** Lines of text. @default none */
  readonly lines?: readonly string[];
}

/** Builds a PDF. @param options `isEncrypted`: it needs a password */
export function buildPdf(
  pages: readonly PdfPageContent[],
  { isEncrypted = false }: { readonly isEncrypted?: boolean } = {},
): Buffer {
  const FIRST_PAGE = 4;
  const pageIds = pages.map((_, index) => FIRST_PAGE + 2 * index);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(" ")}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...pages.flatMap(({ lines = [] }, index) => {
      const content = contentOf(lines);
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents ${FIRST_PAGE + 1 + 2 * index} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
    // No password fits these hashes.
    ...(isEncrypted
      ? [`<< /Filter /Standard /V 1 /R 2 /P -4 /O <${"0".repeat(64)}> /U <${"1".repeat(64)}> >>`]
      : []),
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`);
  const encryption = isEncrypted ? ` /Encrypt ${objects.length} 0 R /ID [<00> <00>]` : "";
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries.join("")}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${encryption} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}

/** Draws lines of text, or a rectangle if there are none, as in a scan. */
function contentOf(lines: readonly string[]): string {
  if (lines.length === 0) return "0 0 1 rg 50 50 200 300 re f";
  const shown = lines.map((line) => `(${line}) Tj 0 -20 Td`);
  return `BT /F1 12 Tf 20 360 Td ${shown.join(" ")} ET`;
}
