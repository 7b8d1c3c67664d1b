import { common, inQuery, json, object, type Paths, ref, token } from './operation.ts'
import { CURSOR } from './schemas.ts'

const tags = ['Operating'] as const

export const OPERATE_PATHS: Paths = {
  '/v0/audit': {
    get: {
      tags,
      operationId: 'readAudit',
      summary: 'Who did what',
      description:
        'What is about the account of the caller; with the permission `operate` all of it. Nothing in it is ever changed; logins and ended sessions are kept for 400 days, everything else for ever.',
      security: token(),
      parameters: [
        inQuery('account', 'Only what is about this account. One of somebody else needs the permission `operate`.'),
        inQuery('cursor', 'From an earlier page.'),
      ],
      responses: {
        '200': json(
          'At most 50 entries, latest first.',
          object({ entries: { type: 'array', items: ref('AuditEntry') }, cursor: CURSOR }, ['cursor']),
        ),
        ...common('400', '401', '403'),
      },
    },
  },
}
