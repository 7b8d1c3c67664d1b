import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { ERROR_CODES } from '../../contract/error-codes.ts'
import { EVENT_TYPES } from '../../contract/event-types.ts'
import { openapiDocument } from '../../worker/features/docs/openapi-document.ts'
import { clientAnswers } from './client-answers.ts'

/** Amounts that a double cannot represent are read as text: client/http/parse-json.ts. */
const COINS = ts.factory.createUnionTypeNode([
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword),
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
])

const document = openapiDocument(new URL('https://api.example'))
const unionOf = (table: object) =>
  Object.keys(table)
    .map((word) => `\n  | '${word}'`)
    .join('')
const words = `
/** Error codes; docs/behaviour/answers.md and /docs explain each. */
export type ServiceErrorCode =${unionOf(ERROR_CODES)}

export type EventType =${unionOf(EVENT_TYPES)}
`
for (const [name, text] of Object.entries(clientAnswers(document.components.schemas))) {
  writeFileSync(
    fileURLToPath(import.meta.resolve(`../../client/generated/${name}.ts`)),
    name === 'types' ? text + words : text,
  )
}
const keyRoutes = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { security = [] }]) => {
    const scopes = security.flatMap(({ apiKey }) => apiKey ?? []).map((scope) => `'${scope}'`)
    // What takes GET takes HEAD.
    if (method === 'head' || scopes.length === 0) return []
    return `  '${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}': [${scopes.join(', ')}],\n`
  }),
)
writeFileSync(
  fileURLToPath(import.meta.resolve('../../contract/generated/key-routes.ts')),
  `/** Made from the operations by \`npm run check:types\`. */\nexport const KEY_ROUTES = {\n${keyRoutes.join('')}} as const\n`,
)
// The console requests tables itself; otherwise every response would have an unknown type.
const text = JSON.stringify(document, (key, value: unknown) => (key === 'text/csv' ? undefined : value))
const types = await openapiTypes(text, {
  transform: (schema) =>
    'type' in schema && schema.type === 'number' && /coins/i.test(schema.description ?? '') ? COINS : undefined,
})
writeFileSync(fileURLToPath(import.meta.resolve('../../console/api/schema.d.ts')), astToString(types))
