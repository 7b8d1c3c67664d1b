import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { NEEDED_PATHS } from '../../console/api/needed-paths.ts'
import { NEEDED_PROPERTIES, NEEDED_SCHEMAS } from '../../console/api/needed-schemas.ts'
import { openapiDocument } from '../../worker/features/docs/openapi-document.ts'
import type { Schema } from '../../worker/features/docs/operation.ts'

/** Amounts that a double cannot hold stay text when an answer is read: console/api/exact-json.ts. */
const COINS = ts.factory.createUnionTypeNode([
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword),
  ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
])

const document = openapiDocument(new URL('https://api.example'))
const paths: Record<string, object> = { ...document.paths }
for (const [path, operations] of Object.entries(NEEDED_PATHS)) paths[path] = { ...paths[path], ...operations }
const schemas: Record<string, Schema> = { ...document.components.schemas, ...NEEDED_SCHEMAS }
for (const [name, properties] of Object.entries(NEEDED_PROPERTIES))
  schemas[name] = withProperties(schemas[name], properties)

const whole: unknown = { ...document, paths, components: { ...document.components, schemas } }
// The console asks for tables by itself; beside them every answer would be of an unknown type.
const text = JSON.stringify(whole, (key, value: unknown) => (key === 'text/csv' ? undefined : value))
const types = await openapiTypes(text, {
  transform: (schema) =>
    'type' in schema && schema.type === 'number' && /coins/i.test(schema.description ?? '') ? COINS : undefined,
})
writeFileSync(fileURLToPath(import.meta.resolve('../../console/api/schema.d.ts')), astToString(types))

function withProperties(schema: Schema | undefined, properties: Record<string, Schema>): Schema {
  const known: unknown = schema?.properties
  return { ...schema, properties: { ...(typeof known === 'object' ? known : {}), ...properties } }
}
