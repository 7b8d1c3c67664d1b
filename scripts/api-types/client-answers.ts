import { BLOCKCHAINS } from '../../protocol/chains.ts'
import type { Schema } from '../../worker/features/docs/openapi.ts'

/** The responses that the library reads, by the contract's names. */
const READ = [
  'ApiKey',
  'CreatedItem',
  'Domain',
  'Estimate',
  'Folder',
  'Item',
  'ItemTransaction',
  'KnownItem',
  'LedgerEntry',
  'Order',
  'Payment',
  'PaymentRequest',
  'Prices',
  'Profile',
  'Receipt',
  'Site',
  'SiteProblems',
  'SiteVersion',
  'Source',
  'Target',
  'Withdrawal',
]

const HEAD = `// Written by scripts/api-types/generate.ts from contract/: change it there.
/* biome-ignore-all format: it is written, not edited */

`

const LATER = `/** A word of a later version, which a program of today does not know. */
export type LaterWord = string & Record<never, never>

`

/**
 * A TypeScript type, and how to read a value of it: a letter, the name of another type, or either in lists and objects.
 */
interface Read {
  type: string
  shape: string
}

/** The types of responses, and the tables by which \`client/answers/read-answer.ts\` reads them. */
export function clientAnswers(schemas: Readonly<Record<string, Schema>>): { types: string; shapes: string } {
  const names = new Set(READ)
  const parts: { name: string; type: string; shape: string }[] = []
  for (const name of names) {
    const { type, shape } = readOf(schemas[name] ?? {}, (other) => names.add(other))
    parts.push({
      name,
      type: shape.startsWith('{ fields') ? `export interface ${name} ${type}` : `export type ${name} = ${type}`,
      shape,
    })
  }
  parts.sort((a, b) => (a.name < b.name ? -1 : 1))
  const all = parts.map(({ name }) => `  ${name}: ${name}`).join('\n')
  const shapes = parts.map(({ name, shape }) => `  ${name}: ${shape},`).join('\n')
  return {
    types: `${HEAD}${LATER}${parts.map(({ type }) => type).join('\n\n')}\n\n/** Each by its name. */\nexport interface Answers {\n${all}\n}\n`,
    shapes: `${HEAD}/** \`t\` text, \`n\` number, \`a\` amount of coins, \`f\` flag, \`u\` anything; with \`?\`: it may be missing, or null. */
export const SHAPES = {\n${shapes}\n} as const\n`,
  }
}

function readOf(schema: Schema, use: (name: string) => void): Read {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    if (name === 'ObjectId' || name === 'Txid') return { type: 'string', shape: `'t'` }
    use(name)
    return { type: name, shape: `'${name}'` }
  }
  const [first] = (schema.oneOf ?? []).filter(({ type }) => type !== 'null')
  if (first) return optional(readOf(first, use))
  if (Array.isArray(schema.type)) return optional(readOf({ ...schema, type: schema.type[0] ?? '' }, use))
  if (schema.enum && !schema.properties) {
    const isName = schema.description === 'Capitals matter.' || String(schema.enum[0]).startsWith('201 ')
    const words = schema.enum.map((word) => `'${word}'`)
    if (isName) return { type: words.join(' | '), shape: `[${words.join(', ')}]` }
    // Enums that may grow are plain text for an older client.
    if (schema.type === 'string' || schema.enum.every((word) => typeof word === 'string')) {
      return { type: [...words, 'LaterWord'].join(' | '), shape: `'t'` }
    }
  }
  if (schema.items) {
    const { type, shape } = readOf(schema.items, use)
    return { type: type.includes('|') ? `(${type})[]` : `${type}[]`, shape: `{ list: ${shape} }` }
  }
  if (typeof schema.additionalProperties === 'object') {
    const { type, shape } = readOf(schema.additionalProperties, use)
    return { type: `Record<string, ${type}>`, shape: `{ each: ${shape} }` }
  }
  if (schema.properties) return objectOf(schema, use)
  switch (schema.type) {
    case 'boolean':
      return { type: 'boolean', shape: `'f'` }
    case 'integer':
      return { type: 'number', shape: `'n'` }
    case 'number':
      return /coins/.test(schema.description ?? '')
        ? { type: 'string', shape: `'a'` }
        : { type: 'number', shape: `'n'` }
    default:
      return schema.type === 'string' ? { type: 'string', shape: `'t'` } : { type: 'unknown', shape: `'u'` }
  }
}

function objectOf({ properties = {}, required = [] }: Schema, use: (name: string) => void): Read {
  const names = Object.keys(properties)
  // The same for each chain; an unknown chain is read too.
  if (names.join() === BLOCKCHAINS.join()) {
    const { type, shape } = readOf(properties.Bitcoin ?? {}, use)
    return { type: `Record<string, ${type}>`, shape: `{ each: ${shape} }` }
  }
  const fields = Object.entries(properties).map(([name, property]) => {
    const whole = readOf(property, use)
    const { type, shape } = required.includes(name) ? whole : optional(whole)
    const note = property.description ? `  /** ${property.description} */\n` : ''
    return { line: `${note}  ${name}: ${type}`, shape: `${name}: ${shape}` }
  })
  return {
    type: `{\n${fields.map(({ line }) => line).join('\n')}\n}`,
    shape: `{ fields: { ${fields.map(({ shape }) => shape).join(', ')} } }`,
  }
}

function optional({ type, shape }: Read): Read {
  if (type.endsWith('| undefined')) return { type, shape }
  return { type: `${type} | undefined`, shape: /^'[a-z]'$/.test(shape) ? `'${shape[1]}?'` : `{ maybe: ${shape} }` }
}
