import {
  common,
  empty,
  inPath,
  inQuery,
  json,
  jsonBody,
  object,
  type Paths,
  ref,
  refusal,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { PATTERNS } from './patterns.ts'
import { CURSOR, OBJECT_ID } from './schemas.ts'

const tags = ['Domains and denylist'] as const

export const DOMAIN_PATHS: Paths = {
  '/v0/domain': {
    post: {
      tags,
      operationId: 'claimDomain',
      summary: 'Show an item on a host of yours',
      description:
        'Its CNAME must point to `<object id>.<storage host>`, or its TXT record `_hookline.<host>` be `item=<object id>`.',
      security: token('store'),
      requestBody: jsonBody(
        object({ host: { type: 'string', pattern: PATTERNS.host, maxLength: 253 }, item: OBJECT_ID }),
        {
          host: 'www.example.com',
          item: '6b01a4cc8a40fc232d317ec6',
        },
      ),
      responses: {
        '201': json('Claimed.', ref('Domain')),
        ...common(...TOKEN_AND_BODY, '404'),
        '409': refusal('DNS does not point here yet, the message says which record to make; or it is taken.'),
      },
    },
    get: {
      tags,
      operationId: 'listDomains',
      summary: 'List your hosts',
      security: token('store'),
      parameters: [inQuery('cursor', 'From an earlier page.')],
      responses: {
        '200': json(
          'At most 100.',
          object({ domains: { type: 'array', items: ref('Domain') }, cursor: CURSOR }, ['cursor']),
        ),
        ...common('401', '403'),
      },
    },
  },
  '/v0/domain/{host}': {
    delete: {
      tags,
      operationId: 'giveUpDomain',
      summary: 'Give a host up',
      security: token('store'),
      parameters: [inPath('host', 'The host.', { type: 'string', pattern: PATTERNS.host, maxLength: 253 })],
      responses: { '204': empty('It is given up.'), ...common('401', '403', '404') },
    },
  },
}
