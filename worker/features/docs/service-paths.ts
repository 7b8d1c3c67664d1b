import {
  common,
  content,
  inPath,
  json,
  type Operation,
  object,
  type Paths,
  readable,
  refusal,
  token,
} from './operation.ts'
import { COUNT } from './schemas/field-schemas.ts'

const tags = ['This service'] as const
const CHAINS = {
  type: 'object',
  description:
    'By blockchain. `payment` is there when it can take no new work, `status` when no node answers or somebody waits for what cannot be done.',
  additionalProperties: object(
    {
      height: { type: 'integer' },
      step: { type: 'integer', description: 'Seconds since the agent of this chain ended a step.' },
      tip: { type: 'integer', description: 'Seconds since it met the newest block.' },
      locked: { const: true, description: 'The wallet is locked.' },
      payment: { const: 'down' },
      setAside: { type: 'integer', description: 'Records that could not be processed and are tried again.' },
      status: { const: 'down' },
    },
    ['height', 'step', 'tip', 'locked', 'payment', 'setAside', 'status'],
  ),
}

const BUILT = { path: { type: 'string' }, integrity: { type: 'string' }, size: { type: 'integer' } }
const CACHE = object({ bytesPerHour: COUNT, days: { type: 'integer', minimum: 1 }, admitted: COUNT })

const page = (operationId: string, summary: string, type: string): Operation => ({
  tags,
  operationId,
  summary,
  responses: { '200': content('Here it is.', type), ...common() },
})

const file = (operationId: string, summary: string, type: string): Operation => ({
  ...page(operationId, summary, type),
  responses: { ...readable(content('Here it is.', type)), ...common() },
})

const asset = (operationId: string, summary: string, name: string): Operation => ({
  ...page(operationId, summary, 'text/javascript'),
  parameters: [inPath('file', name)],
  responses: { ...readable(content('For ever the same.', '*/*')), ...common('404') },
})

export const SERVICE_PATHS: Paths = {
  '/v0/health': {
    get: {
      tags,
      operationId: 'readHealth',
      summary: 'Is everything up?',
      responses: {
        '200': json(
          'Yes. The heights of the chains.',
          object({ status: { const: 'ok' }, chains: CHAINS, storage: { const: 'ok' } }),
        ),
        ...common(),
        '503': json(
          'No: which part is down.',
          object({
            message: { type: 'string' },
            code: { const: 'unhealthy' },
            status: { type: 'string' },
            chains: CHAINS,
            storage: { type: 'string' },
          }),
        ),
      },
    },
  },
  '/v0/cache': {
    get: {
      tags,
      operationId: 'readCaches',
      summary: 'What strangers fill of the bucket',
      description: 'Of both caches: what they take in an hour and for how many days, and what of this hour is taken.',
      security: token('operate'),
      responses: { '200': json('Both.', object({ chain: CACHE, ipfs: CACHE })), ...common('401', '403') },
    },
  },
  '/v0/openapi.json': { get: page('readOpenapi', 'This description', 'application/json') },
  '/docs': { get: page('readDocs', 'This description, as a page', 'text/html') },
  '/': {
    get: {
      tags,
      operationId: 'openRoot',
      summary: 'Where to begin',
      responses: { '302': { description: 'To /docs.' }, ...common() },
    },
  },
  '/hook.js': { get: file('readHook', 'The page helper', 'text/javascript') },
  '/hook.json': {
    get: {
      tags,
      operationId: 'readHookHashes',
      summary: 'What to pin of the page helper',
      description: 'Of this build: its immutable name, and what `integrity` says of it and of each of its parts.',
      responses: {
        '200': json(
          'The hashes.',
          object({ url: { type: 'string' }, ...BUILT, parts: { type: 'array', items: object(BUILT) } }),
        ),
        ...common(),
      },
    },
  },
  '/.well-known/security.txt': {
    get: {
      ...file('readSecurityTxt', 'Whom to tell of a weakness (RFC 9116)', 'text/plain'),
      responses: {
        ...readable(content('The contacts.', 'text/plain')),
        '404': refusal('The operator has named nobody.'),
        ...common(),
      },
    },
  },
  '/{file}': { get: asset('readPinnedHook', 'The page helper under an immutable name', '`hook.<hash>.js`') },
  '/hook/{file}': { get: asset('readHookPart', 'A part of the page helper', 'Its name with its hash.') },
  '/frame': { get: file('readFrame', 'The page that shows verified HTML on an opaque origin', 'text/html') },
}
