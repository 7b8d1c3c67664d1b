import { LINK_SOURCES, type LinkValues } from './link-sources.ts'
import { LINK_USES, type LinkArgument, type LinkUse } from './link-uses.ts'
import { type Answer, type Link, mapOperations, type Operation, type Paths } from './openapi.ts'

/** Adds to each answer the links to the operations that use a value of it (OpenAPI 3.1, 4.8.20). */
export function withLinks(paths: Paths): Paths {
  return mapOperations(paths, linked)
}

function linked(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).map(([status, answer]): [string, Answer] => {
    const links = { ...linksOf(operation.operationId, status), ...nextPage(operation, status) }
    return [status, Object.keys(links).length === 0 ? answer : { ...answer, links }]
  })
  return { ...operation, responses: Object.fromEntries(responses) }
}

function linksOf(operationId: string, status: string): Record<string, Link> {
  const sources = LINK_SOURCES.filter(
    (source) => source.operationId === operationId && source.statuses.includes(status),
  )
  return Object.fromEntries(
    sources.flatMap(({ values }) =>
      LINK_USES.flatMap((use) => {
        const link = linkTo(use, values)
        return link ? [[use.operationId, link]] : []
      }),
    ),
  )
}

/** The link to an operation from an answer with `values`; `undefined` where one that it needs is not among them. */
function linkTo({ operationId, description, parameters, body }: LinkUse, values: LinkValues): Link | undefined {
  const link: Link = { operationId, description }
  if (Object.keys(parameters).length > 0) link.parameters = fill(parameters, values)
  if (Object.keys(body).length > 0) link.requestBody = fill(body, values)
  const given = Object.values({ ...link.parameters, ...link.requestBody })
  return given.includes(undefined) ? undefined : link
}

function fill(places: Readonly<Record<string, LinkArgument>>, values: LinkValues): Record<string, unknown> {
  const filled = Object.entries(places).map(([name, given]): [string, unknown] => {
    if (typeof given === 'string') return [name, values[given]]
    if ('each' in given) return [name, values[given.each] && [values[given.each]]]
    return [name, given.constant]
  })
  return Object.fromEntries(filled)
}

/** Parameters of lists that say where a page is by themselves. */
const INSTEAD_OF_CURSOR = ['page', 'name', 'address']

/** The link from a page of a list to the next one, which is requested with all that this one was requested with. */
function nextPage({ operationId, parameters = [] }: Operation, status: string): Record<string, Link> {
  if (status !== '200' || !parameters.some(({ name }) => name === 'cursor')) return {}
  const passed = parameters.filter((one) => one.in !== 'header' && !INSTEAD_OF_CURSOR.includes(one.name))
  const expressions = passed.map((one) => [
    one.name,
    one.name === 'cursor' ? '$response.body#/cursor' : `$request.${one.in}.${one.name}`,
  ])
  return { nextPage: { operationId, description: 'The next page.', parameters: Object.fromEntries(expressions) } }
}
