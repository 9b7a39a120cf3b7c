/** Orders of a value's members at most. */
export const MAX_ORDERS = 200;

/** A value with the members of its objects in each order, the first ones of very many. */
export function orders(value: unknown, limit = MAX_ORDERS): readonly unknown[] {
  if (Array.isArray(value)) {
    return products(
      value.map((item) => orders(item, limit)),
      limit,
    );
  }
  if (typeof value !== "object" || value === null) return [value];
  const entries = Object.entries(value);
  const members = products(
    entries.map(([, member]) => orders(member, limit)),
    limit,
  );
  return permutations(entries.map((_, index) => index))
    .flatMap((order) =>
      members.map((own) =>
        Object.fromEntries(order.map((index) => [entries[index]?.[0], own[index]])),
      ),
    )
    .slice(0, limit);
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((first) =>
    permutations(items.filter((item) => item !== first)).map((rest) => [first, ...rest]),
  );
}

function products<Item>(
  choices: readonly (readonly Item[])[],
  limit: number,
): readonly (readonly Item[])[] {
  return choices.reduce<readonly (readonly Item[])[]>(
    (sofar, options) =>
      sofar.flatMap((items) => options.map((option) => [...items, option])).slice(0, limit),
    [[]],
  );
}
