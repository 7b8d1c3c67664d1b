import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A place in the source that prepares a statement, with the longest piece of its SQL that is written out there. */
export interface StatementSite {
  file: string
  piece: string
}

/** Statements that one call may prepare: more is a loop that ends by what a real database answers. */
const MAX_IN_A_CALL = 300

/** A function that builds its SQL out of one of its values, which has to be a real one then; the database comes first. */
export type RealCall = readonly [work: unknown, ...values: unknown[]]

/**
 * Every statement of the product: the exported functions of each module that prepares any are called with a value that
 * can be anything, and a database that only notes what it is asked; `real` are called besides. `sites` are all the places
 * that the source has.
 */
export async function listStatements(
  folder: string,
  real: readonly RealCall[],
): Promise<{ statements: Set<string>; sites: StatementSite[] }> {
  const statements = new Set<string>()
  const sites: StatementSite[] = []
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  for (const file of files.sort()) {
    const path = join(folder, file)
    const source = readFileSync(path, 'utf8')
    if (!/prepare\(|assertionStatement\(/.test(source)) continue
    sites.push(...sitesIn(file, source))
    const exported: Record<string, unknown> = await import(join(process.cwd(), path))
    for (const work of Object.values(exported)) {
      if (typeof work === 'function' && !/^class\b/.test(String(work))) await call(work, statements)
    }
  }
  for (const [work, ...values] of real) await call(work, statements, values)
  return { statements, sites }
}

async function call(work: unknown, statements: Set<string>, values: readonly unknown[] = []): Promise<void> {
  if (typeof work !== 'function') return
  const note = { left: MAX_IN_A_CALL, statements }
  const value = anything(note)
  try {
    await Reflect.apply(work, undefined, [value, ...values, ...new Array(8).fill(value)])
  } catch {
    // What it prepared before that is noted.
  }
}

/** A value that is text, a number, a list of one, an object of any fields, a function, and a database. */
function anything(note: { left: number; statements: Set<string> }): object {
  const list = (): unknown[] => [anything(note)]
  const prepare = (sql: unknown) => {
    if (note.left-- <= 0) throw new Error('too many statements')
    note.statements.add(String(sql))
    return anything(note)
  }
  const rows = async () => ({ results: list(), meta: { changes: 1 } })
  const fields: Record<string | symbol, unknown> = {
    prepare,
    bind: () => anything(note),
    all: rows,
    run: rows,
    raw: async () => [list()],
    first: async () => anything(note),
    batch: async (made: unknown[]) => Promise.all([...made].map(rows)),
    length: 1,
    toString: () => '1',
    toJSON: () => '1',
    [Symbol.toPrimitive]: () => '1',
  }
  return new Proxy(() => anything(note), {
    get(_, key) {
      if (key === 'then') return undefined
      if (key in fields) return fields[key]
      const method: unknown = Reflect.get(Array.prototype, key)
      if (typeof method === 'function') return method.bind(list())
      return anything(note)
    },
    has: () => true,
    apply: () => anything(note),
    construct: () => anything(note),
  })
}

/** The places of one file: what stands between the backticks or quotes behind `prepare(`, without what is put in. */
function sitesIn(file: string, source: string): StatementSite[] {
  return [...source.matchAll(/\bprepare\(\s*(?:\/\/[^\n]*\n\s*)*(?=[`'])/g)].map((match) => {
    const pieces = piecesOf(source, match.index + match[0].length)
    return { file, piece: pieces.reduce((longest, one) => (one.length > longest.length ? one : longest), '') }
  })
}

/** What is written out of the text whose quote stands at `start`; what a template has put in may hold templates itself. */
function piecesOf(source: string, start: number): string[] {
  const quote = source[start]
  const pieces = ['']
  let depth = 0
  for (let at = start + 1; at < source.length; at++) {
    if (depth === 0 && source[at] === quote) break
    if (depth === 0 && quote === '`' && source.startsWith('${', at)) {
      depth = 1
      at++
      pieces.push('')
    } else if (depth > 0) {
      if (source[at] === '{') depth++
      if (source[at] === '}') depth--
    } else pieces.push(`${pieces.pop()}${source[at]}`)
  }
  return pieces
}
