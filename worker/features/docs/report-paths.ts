import {
  common,
  content,
  FROM_CURSOR,
  inPath,
  inQuery,
  json,
  jsonBody,
  object,
  type Paths,
  page,
  ref,
  TOKEN_AND_BODY,
  token,
} from './operation.ts'
import { OBJECT_ID, REPORT_STATUS } from './schemas/field-schemas.ts'

const tags = ['Domains and denylist'] as const

export const REPORT_PATHS: Paths = {
  '/v0/denied/export': {
    get: {
      tags,
      operationId: 'exportDenied',
      summary: 'The denylist, for other gateways',
      description:
        'In the compact format (IPIP-383), as double hashes: whoever has a CID can ask it, nobody can read what is denied.',
      responses: { '200': content('The list.', 'text/plain'), ...common() },
    },
  },
  '/v0/denied/import': {
    get: {
      tags,
      operationId: 'readDenylistImport',
      summary: 'The denylist of others that is followed',
      security: token('moderate'),
      responses: { '200': json('How it stands.', ref('DenylistImport')), ...common('401', '403') },
    },
  },
  '/v0/report': {
    post: {
      tags,
      operationId: 'report',
      summary: 'Report something that should not be served',
      description:
        'Without a token. Reports of the same thing are one, and counted; what the first ten say is kept. At most 20 an hour from one address.',
      requestBody: jsonBody(ref('NewReport'), {
        kind: 'cid',
        value: 'bafkqaaa',
        reason: 'A copy of the sign-in page of a bank',
        evidence: 'https://bank.example/warning-2026-11',
      }),
      responses: {
        '201': json('Somebody will look at it.', object({ id: OBJECT_ID, message: { type: 'string' } })),
        ...common('400', '413', '415'),
      },
    },
    get: {
      tags,
      operationId: 'listReports',
      summary: 'List what was reported',
      security: token('moderate'),
      parameters: [inQuery('status', 'Only these; `open` by default.', REPORT_STATUS), FROM_CURSOR],
      responses: {
        '200': page('At most 50, the oldest first.', 'reports', 'Report'),
        ...common('400', '401', '403'),
      },
    },
  },
  '/v0/report/{id}': {
    put: {
      tags,
      operationId: 'decideReport',
      summary: 'Decide a report',
      description:
        '`denied` puts the thing on the denylist, in force within a minute; `dismissed` and `open` take it off where it was denied for this report.',
      security: token('moderate'),
      parameters: [inPath('id', 'Of the report.', OBJECT_ID)],
      requestBody: jsonBody(object({ status: REPORT_STATUS, reason: { type: 'string', maxLength: 1000 } })),
      responses: { '200': json('The report.', ref('Report')), ...common(...TOKEN_AND_BODY, '404') },
    },
  },
}
