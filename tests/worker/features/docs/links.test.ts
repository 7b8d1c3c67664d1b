import { describe, expect, it } from 'vitest'
import type { Answer, Link, Operation, Schema } from '../../../../worker/features/docs/openapi.ts'
import { openapiDocument, PATHS } from '../../../../worker/features/docs/openapi-document.ts'

const { schemas } = openapiDocument(new URL('https://api.example')).components

const operations = Object.entries(PATHS).flatMap(([path, methods]) =>
  Object.values(methods).map((operation) => ({ path, operation })),
)
const byId = new Map(operations.map(({ operation }) => [operation.operationId, operation]))
const links = operations.flatMap(({ operation }) =>
  Object.entries(operation.responses).flatMap(([status, answer]) =>
    Object.values(answer.links ?? {}).map((link) => ({ from: operation, status, answer, link })),
  ),
)

/** Path parameters that no answer names: what stands there comes from outside, or is a whole path in `/hook.json`. */
const NOT_LINKED = ['/ipns/{path}', '/console/{path}', '/{file}', '/hook/{file}']

/** The schemas that may stand at a JSON pointer (RFC 6901) below a schema. */
function schemasAt(schema: Schema | undefined, steps: readonly string[]): Schema[] {
  if (!schema) return []
  if (schema.$ref) return schemasAt(schemas[schema.$ref.split('/').at(-1) ?? ''], steps)
  if (schema.oneOf) return schema.oneOf.flatMap((one) => schemasAt(one, steps))
  const [step, ...rest] = steps
  if (step === undefined) return [schema]
  return schemasAt(step === '0' ? schema.items : schema.properties?.[step], rest)
}

/** Whether the description has what a runtime expression names. */
function resolves(expression: string, from: Operation, answer: Answer): boolean {
  const [, where = '', place = ''] =
    /^\$(request\.path|request\.query|request\.body|response\.header|response\.body)[.#](.+)$/.exec(expression) ?? []
  const steps = place.split('/').slice(1)
  if (where === 'response.header') return answer.headers?.[place] !== undefined
  if (where === 'response.body') return schemasAt(answer.content?.['application/json']?.schema, steps).length > 0
  if (where === 'request.body')
    return schemasAt(from.requestBody?.content['application/json']?.schema, steps).length > 0
  return from.parameters?.some(({ name, in: at }) => where === `request.${at}` && name === place) ?? false
}

function expressionsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('$') ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(expressionsIn) : []
}

const nameOf = ({ from, link }: { from: Operation; link: Link }) => `${from.operationId} to ${link.operationId}`

describe('the links of the description', () => {
  it('lead to operations that are there, by parameters and fields that these take', () => {
    for (const one of links) {
      const to = byId.get(one.link.operationId)
      const taken = to?.parameters?.map(({ name }) => name) ?? []
      for (const name of Object.keys(one.link.parameters ?? {}))
        expect([nameOf(one), taken]).toEqual([nameOf(one), expect.arrayContaining([name])])
      const body = to?.requestBody?.content['application/json']?.schema
      for (const name of Object.keys(one.link.requestBody ?? {}))
        expect([nameOf(one), name, schemasAt(body, [name])]).not.toEqual([nameOf(one), name, []])
    }
    expect(links.length).toBeGreaterThan(100)
  })

  it('give all that a path takes, and all that a body has to have', () => {
    for (const one of links) {
      const to = byId.get(one.link.operationId)
      const inPath = to?.parameters?.filter((parameter) => parameter.in === 'path').map(({ name }) => name) ?? []
      expect([nameOf(one), Object.keys(one.link.parameters ?? {})]).toEqual([
        nameOf(one),
        expect.arrayContaining(inPath),
      ])
      if (!one.link.requestBody) continue
      const [body] = schemasAt(to?.requestBody?.content['application/json']?.schema, [])
      expect([nameOf(one), Object.keys(one.link.requestBody)]).toEqual([
        nameOf(one),
        expect.arrayContaining([...(body?.required ?? [])]),
      ])
    }
  })

  it('name what their answer, or its request, has', () => {
    for (const one of links) {
      const expressions = expressionsIn([one.link.parameters, one.link.requestBody])
      const missing = expressions.filter((expression) => !resolves(expression, one.from, one.answer))
      expect([nameOf(one), missing]).toEqual([nameOf(one), []])
      expect([nameOf(one), expressions.length > 0]).toEqual([nameOf(one), true])
    }
  })

  it('reach every operation whose path has an id, by each of its parameters', () => {
    const reached = new Set(
      links.flatMap(({ link }) => Object.keys(link.parameters ?? {}).map((name) => `${link.operationId} ${name}`)),
    )
    const unreached = operations.flatMap(({ path, operation }) =>
      NOT_LINKED.includes(path)
        ? []
        : (operation.parameters ?? [])
            .filter((one) => one.in === 'path' && !reached.has(`${operation.operationId} ${one.name}`))
            .map(({ name }) => `${operation.operationId} ${name}`),
    )
    expect(unreached).toEqual([])
  })

  it('start from every answer with an id of an object or of a transaction, a CID, a host or a session', () => {
    const without = operations.flatMap(({ operation }) =>
      Object.entries(operation.responses)
        .filter(
          ([status, { content, links: own }]) =>
            /^(2|402)/.test(status) && !beyondNextPage(own) && hasId(content?.['application/json']?.schema),
        )
        .map(([status]) => `${operation.operationId} ${status}`),
    )
    expect(without).toEqual([])
  })

  it('follow from the names of fields: each that an answer or a parameter has is passed on', () => {
    const passed = links.filter(({ from }) => from.operationId === 'createFolder')
    expect(passed.map(({ link }) => link.operationId)).toEqual(
      expect.arrayContaining(['readFolder', 'changeFolder', 'deleteFolder', 'mergeFolder', 'listItems']),
    )
    const toItem = links.find(
      ({ from, link }) => from.operationId === 'createItem' && link.operationId === 'requestPayment',
    )
    expect(toItem?.link.requestBody).toEqual({ blockchain: '$request.body#/blockchain', ids: ['$response.body#/id'] })
  })

  it('go on behind a page with what it was asked for', () => {
    expect(byId.get('listItems')?.responses['200']?.links?.nextPage).toMatchObject({
      operationId: 'listItems',
      parameters: {
        cursor: '$response.body#/cursor',
        status: '$request.query.status',
        folder: '$request.query.folder',
        sort: '$request.query.sort',
      },
    })
    for (const { operation } of operations)
      if (operation.parameters?.some(({ name }) => name === 'cursor'))
        expect([operation.operationId, operation.responses['200']?.links?.nextPage?.operationId]).toEqual([
          operation.operationId,
          operation.operationId,
        ])
  })
})

function beyondNextPage(own: Answer['links'] = {}): boolean {
  return Object.keys(own).some((name) => name !== 'nextPage')
}

const IDS = ['id', 'jti', 'cid', 'host', 'txid', 'txids', 'wait', 'address']

function hasId(schema: Schema | undefined): boolean {
  const rows = schemasAt(schema, []).flatMap((one) => [
    one,
    ...Object.values(one.properties ?? {}).flatMap((list) => (list.type === 'array' ? schemasAt(list.items, []) : [])),
  ])
  return rows.some(({ properties = {} }) => IDS.some((name) => properties[name]))
}
