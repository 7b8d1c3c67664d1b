import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

interface Rooms {
  /** The tables of each feature, and of each floor below the features. */
  tables: Record<string, string[]>
  /** By file: tables of others that a statement reads, and why that is one statement with its own tables. */
  reads: Record<string, Record<string, string>>
  /** By trigger that names a table of another owner than its own table's: why. */
  triggers: Record<string, string>
}
const { tables, reads, triggers }: Rooms = JSON.parse(read('worker/rooms.json'))
const ownerOf = new Map(Object.entries(tables).flatMap(([room, names]) => names.map((name) => [name, room] as const)))
const migrations = readdirSync(join(ROOT, 'd1-migrations')).filter((file) => file.endsWith('.sql'))
const schema = migrations.map((file) => read(`d1-migrations/${file}`)).join('\n')
const inSchema = [...schema.matchAll(/^CREATE (?:VIRTUAL )?(?:TABLE|VIEW) (\w+)/gm)].map(([, name = '']) => name)

/** A table that a file of the Worker names in SQL. */
interface Use {
  file: string
  table: string
  writes: boolean
}

const NAME = String.raw`(?:\w+|\$\{[^}]+\})`
const NAMED = new RegExp(
  String.raw`(DELETE )?\b(FROM|JOIN|INTO|UPDATE(?: OR \w+)?)\s+(${NAME}(?:(?:\s+AS\s+\w+|\s+INDEXED BY \w+)?\s*,\s*${NAME})*)`,
  'g',
)

/** The tables that a file names. Where a name is interpolated, each text of the file that begins with a table's name counts. */
function usesOf(file: string, source: string): Use[] {
  const text = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return [...text.matchAll(NAMED)].flatMap(([, deleted, verb = '', list = '']): Use[] => {
    const writes = deleted !== undefined || verb === 'INTO' || verb.startsWith('UPDATE')
    const names = list.split(',').map((part) => part.trim().split(/\s/)[0] ?? '')
    const found = names.flatMap((name) =>
      name.startsWith('$') ? [...text.matchAll(/['`](\w+)/g)].map(([, word = '']) => word) : [name],
    )
    return found.filter((table) => inSchema.includes(table)).map((table) => ({ file, table, writes }))
  })
}

const uses = readdirSync(join(ROOT, 'worker'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => usesOf(file, read(`worker/${file}`)))

const roomOf = (file: string) => file.split('/')[file.startsWith('features/') ? 1 : 0]
const others = uses.filter(({ file, table }) => ownerOf.get(table) !== roomOf(file))
const told = (list: readonly Use[]) => [
  ...new Set(list.map(({ file, table, writes }) => `${file} ${writes ? '+' : ''}${table}`)),
]

it('every table of the schema has one owner', () => {
  expect(Object.values(tables).flat().toSorted()).toEqual(inSchema.toSorted())
})

it('the tables that SQL names are found, also behind a comma, in a DELETE and by an interpolated constant', () => {
  const tablesIn = (text: string) => usesOf('a.ts', text).map(({ table, writes }) => `${writes ? '+' : ''}${table}`)
  expect(tablesIn('`SELECT 1 FROM items AS i, ledger JOIN users ON 1 WHERE EXISTS (SELECT 1 FROM sites)`')).toEqual([
    'items',
    'ledger',
    'users',
    'sites',
  ])
  expect(tablesIn("'DELETE FROM mails'; `UPDATE OR IGNORE writes SET a = 1`; 'INSERT INTO audit (a)'")).toEqual([
    '+mails',
    '+writes',
    '+audit',
  ])
  expect(tablesIn(`const OF = ['passkeys', 'none']; \`DELETE FROM \${table}\``)).toEqual(['+passkeys'])
  expect(tablesIn('/** FROM items */')).toEqual([])
})

it("a file names another's table only where the list says why, and writes none", () => {
  const allowed = ({ file, table, writes }: Use) => !writes && reads[file]?.[table] !== undefined
  expect(told(others.filter((use) => !allowed(use)))).toEqual([])
})

it('the lists have nothing that no file needs', () => {
  const named = new Set(told(others))
  const listed = Object.entries(reads).flatMap(([file, names]) => Object.keys(names).map((name) => `${file} ${name}`))
  expect(listed.filter((one) => !named.has(one))).toEqual([])
})

it('a trigger names a table of another owner only where the list says why', () => {
  const schema = read('d1-migrations/0001_schema.sql').replaceAll(/^\s*--.*$/gm, '')
  const all = [...schema.matchAll(/CREATE TRIGGER (\w+)[\s\S]*?\bON (\w+)([\s\S]*?)\nEND;/g)]
  expect(all.length).toBe(schema.match(/CREATE TRIGGER/g)?.length)
  const crossing = all.filter(([, name = '', table = '', body = '']) =>
    usesOf(name, body).some((use) => ownerOf.get(use.table) !== ownerOf.get(table)),
  )
  expect(crossing.map(([, name]) => name).toSorted()).toEqual(Object.keys(triggers).toSorted())
})
