/** Column after the names: its heading, and the text of a row's cell. */
export type NumberColumn<Row> = readonly [heading: string, cell: (row: Row) => string];

interface NumberTableProps<Row> {
  /** Name of the table, which is not visible. */
  readonly caption: string;
  /** Heading of the names. */
  readonly heading: string;
  readonly columns: readonly NumberColumn<Row>[];
  readonly rows: readonly Row[];
  /** Text of the badge next to a name; `undefined`: none. */
  readonly badgeOf?: (row: Row) => string | undefined;
}

/** Named rows of numbers, which scroll sideways where there is no room. */
export function NumberTable<Row extends { readonly name: string }>({
  caption,
  heading,
  columns,
  rows,
  badgeOf,
}: NumberTableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable with the keyboard
    <section class="scrolls-aside" tabIndex={0} aria-label={caption}>
      <table class="metrics-table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {columns.map(([title]) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const badge = badgeOf?.(row);
            return (
              <tr key={row.name}>
                <th scope="row">
                  {row.name}
                  {badge !== undefined && <span class="badge">{badge}</span>}
                </th>
                {columns.map(([title, cell]) => (
                  <td key={title} class="number">
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
