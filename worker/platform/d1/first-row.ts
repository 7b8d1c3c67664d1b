/**
 * The first row of a statement that always returns one: a count, or a sum.
 * @throws {Error} where it returns none.
 */
export async function firstRow<Row>(statement: D1PreparedStatement): Promise<Row> {
  const row = await statement.first<Row>()
  if (row === null) throw new Error('D1 returned no row for a statement that always returns one')
  return row
}
