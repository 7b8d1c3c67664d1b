type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/** A value as D1 gives it: money as decimal text, a boolean as 0 or 1, a list as JSON, nothing as null. */
type Column<Value> = Value extends bigint | readonly unknown[]
  ? string
  : Value extends boolean
    ? number
    : Value extends undefined
      ? null
      : Value

/** The row that an object is read from: its fields in snake case. */
export type Row<Fields> = { [Name in keyof Fields & string as SnakeCase<Name>]: Column<Fields[Name]> }

type Given<Fields, Name extends keyof Fields> = NonNullable<Fields[Name]>

/** How the fields are read that are something else in the row than in the object. */
type Readers<Fields> = {
  [Name in keyof Fields & string as Given<Fields, Name> extends Column<Given<Fields, Name>> ? never : Name]: (
    column: Column<Given<Fields, Name>>,
  ) => Given<Fields, Name>
}

/**
 * Makes objects of rows: a column in snake case becomes the field of that name in camel case, null becomes undefined, and
 * what D1 has no type for is read by `readers`. Every selected column is in the object: where a row has secrets, the
 * columns are named in the SQL.
 */
export function rowReader<Fields extends object>(readers: Readers<Fields>): (row: Row<Fields>) => Fields
export function rowReader(readers: Record<string, ((column: unknown) => unknown) | undefined>) {
  const names = new Map<string, string>()
  return (row: object): object => {
    const fields: Record<string, unknown> = {}
    for (const [column, value] of Object.entries(row)) {
      const name = names.get(column) ?? column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      names.set(column, name)
      const read = readers[name]
      fields[name] = value === null ? undefined : read ? read(value) : value
    }
    return fields
  }
}

/** A list of texts that is kept as JSON; anything else is none. */
export function readTexts(json: string): string[] {
  const list: unknown = JSON.parse(json)
  return Array.isArray(list) ? list.map(String) : []
}

/** A boolean that is kept as 0 or 1. */
export function readBoolean(column: number): boolean {
  return column === 1
}
