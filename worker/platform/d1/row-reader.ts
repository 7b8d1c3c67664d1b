type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : ''

/** A value as D1 returns it: money as decimal text, a boolean as 0 or 1, a list as JSON, `undefined` as null. */
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

/** Readers of the fields whose type in the row differs from that in the object. */
type Readers<Fields> = {
  [Name in keyof Fields & string as Given<Fields, Name> extends Column<Given<Fields, Name>> ? never : Name]: (
    column: Column<Given<Fields, Name>>,
  ) => Given<Fields, Name>
}

/**
 * A function that makes an object of a row: a column in snake case becomes the field of that name in camel case, null
 * becomes undefined, and `readers` convert what D1 has no type for. Every selected column is in the object, so the SQL
 * of a table with secrets names its columns.
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

/** A list of texts that is stored as JSON; an empty list for any other JSON. */
export function readTexts(json: string): string[] {
  const list: unknown = JSON.parse(json)
  return Array.isArray(list) ? list.map(String) : []
}

/** A boolean that is stored as 0 or 1. */
export function readBoolean(column: number): boolean {
  return column === 1
}
