/** How many transactions an item of the table `items` needs, its index included, as SQL. */
export function allTransactions(items: string): string {
  return `(${items}.transactions + IIF(${items}.indexed = 1 AND ${items}.transactions > 1, 1, 0))`
}
