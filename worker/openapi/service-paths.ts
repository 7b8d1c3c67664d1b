import { common, content, inPath, json, type Operation, object, type Paths, readable } from './operation.ts'

const tags = ['This service'] as const
const CHAINS = {
  type: 'object',
  description: 'By blockchain. `payment` is there when its wallet cannot take new work, `status` when no node answers.',
  additionalProperties: object({ height: { type: 'integer' }, payment: { const: 'down' }, status: { const: 'down' } }, [
    'height',
    'payment',
    'status',
  ]),
}

const page = (summary: string, type: string): Operation => ({
  tags,
  summary,
  responses: { '200': content('Here it is.', type), ...common() },
})

const file = (summary: string, type: string): Operation => ({
  ...page(summary, type),
  responses: { ...readable(content('Here it is.', type)), ...common() },
})

const asset = (summary: string, name: string): Operation => ({
  ...page(summary, 'text/javascript'),
  parameters: [inPath('file', name)],
  responses: { ...readable(content('For ever the same.', '*/*')), ...common('404') },
})

export const SERVICE_PATHS: Paths = {
  '/v0/health': {
    get: {
      tags,
      summary: 'Is everything up?',
      responses: {
        '200': json(
          'Yes. The heights of the chains.',
          object({ status: { const: 'ok' }, chains: CHAINS, storage: { const: 'ok' } }),
        ),
        '503': json(
          'No: which part is down.',
          object({ status: { type: 'string' }, chains: CHAINS, storage: { type: 'string' } }),
        ),
      },
    },
  },
  '/v0/openapi.json': { get: page('This description', 'application/json') },
  '/docs': { get: page('This description, as a page', 'text/html') },
  '/': {
    get: { tags, summary: 'Where to begin', responses: { '302': { description: 'To /docs.' }, ...common() } },
  },
  '/hook.js': { get: file('The page helper', 'text/javascript') },
  '/{file}': { get: asset('The page helper under an immutable name', '`hook.<hash>.js`') },
  '/hook/{file}': { get: asset('A part of the page helper', 'Its name with its hash.') },
  '/frame': { get: file('The page that shows verified HTML on an opaque origin', 'text/html') },
}
