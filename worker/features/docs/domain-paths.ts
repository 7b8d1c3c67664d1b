import {
  common,
  empty,
  FROM_CURSOR,
  idempotent,
  inPath,
  inQuery,
  json,
  jsonBody,
  object,
  type Paths,
  page,
  ref,
  refusal,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { PATTERNS } from './patterns.ts'
import { OBJECT_ID } from './schemas/field-schemas.ts'

const tags = ['Domains and denylist'] as const
const HOST = inPath('host', 'The host.', { type: 'string', pattern: PATTERNS.host, maxLength: 253 })

export const DOMAIN_PATHS: Paths = {
  '/v0/domain': {
    post: idempotent({
      tags,
      operationId: 'claimDomain',
      summary: 'Show a site or an item on a host of yours',
      description:
        'Its CNAME must point to `<object id>.<storage host>`, or its TXT record `_hookline.<host>` be `site=<id>` or `item=<id>`. With `wait`, a record that is not there yet is asked for each minute, for a day; that keeps nobody else from the host, and counts as one of your domains.',
      security: token('store'),
      requestBody: jsonBody(
        object(
          {
            host: { type: 'string', pattern: PATTERNS.host, maxLength: 253 },
            site: OBJECT_ID,
            item: OBJECT_ID,
            wait: { type: 'boolean' },
          },
          ['site', 'item', 'wait'],
        ),
        { host: 'www.example.com', item: '6b01a4cc8a40fc232d317ec6' },
      ),
      responses: {
        '201': json('Claimed.', ref('Domain')),
        '202': json('DNS does not point here yet, and is asked each minute.', ref('Domain')),
        ...common(...TOKEN_AND_BODY, '404'),
        '409': refusal(
          'DNS does not point here yet, the message says which record to make; it is taken; nothing is stored that it would show; or the account has as many domains as it may have.',
        ),
      },
    }),
    get: {
      tags,
      operationId: 'listDomains',
      summary: 'List your hosts',
      security: token('store'),
      parameters: [inQuery('site', 'Only those that show this site.'), FROM_CURSOR],
      responses: {
        '200': page('At most 100.', 'domains', 'Domain'),
        ...common('400', '401', '403'),
      },
    },
  },
  '/v0/domain/{host}': {
    get: {
      tags,
      operationId: 'readDomain',
      summary: 'Read what the last check of a host found',
      security: token('store'),
      parameters: [HOST],
      responses: { '200': json('The host.', ref('Domain')), ...common('401', '403', '404') },
    },
    delete: {
      tags,
      operationId: 'giveUpDomain',
      summary: 'Give a host up, or the wait for it',
      security: token('store'),
      parameters: [HOST],
      responses: { '204': empty('It is given up.'), ...common('401', '403', '404') },
    },
  },
  '/v0/domain/{host}/check': {
    post: {
      tags,
      operationId: 'checkDomain',
      summary: 'Check a host, step by step',
      description:
        'Its record and where it leads, addresses that lead elsewhere, CAA records, the certificate, and who answers. A host that waits for its record and has it is claimed. Within 5 s of a check, what that one found is answered.',
      security: token('store'),
      parameters: [HOST],
      responses: { '200': json('What was found.', ref('Domain')), ...common('401', '403', '404') },
    },
  },
}
