import { FROM_CURSOR, idOf, named } from '../fields.ts'
import { REPORT_LIMITS } from '../limits.ts'
import { content, json, operations, page } from '../operation.ts'
import {
  Denied,
  DeniedEntry,
  DenylistImport,
  DismissedReports,
  Lifted,
  NewReport,
  Report,
  ReportDecision,
  Reported,
  ReportQuery,
} from '../report.ts'
import { count, noted, object, text } from '../schema.ts'
import { Withdrawn } from '../site.ts'

/** What is not served, and what was reported. */
export const REPORT_OPERATIONS = operations('Domains and denylist', {
  'GET /v0/denied': {
    id: 'listDenied',
    summary: 'List what is not served',
    token: 'moderate',
    query: FROM_CURSOR,
    answers: { 200: page('At most 100, the latest change first.', 'denied', DeniedEntry) },
  },
  'PUT /v0/denied': {
    id: 'deny',
    summary: 'Stop serving something',
    description: 'In force within a minute everywhere.',
    token: 'moderate',
    body: Denied,
    example: { kind: 'cid', value: 'bafkqaaa', reason: 'order 12/2026' },
    answers: { 204: 'It is on the list.' },
    refuses: [404],
  },
  'DELETE /v0/denied': {
    id: 'liftDenial',
    summary: 'Serve something again',
    token: 'moderate',
    body: Lifted,
    answers: { 204: 'It is not on the list.' },
    refuses: [404],
  },
  'POST /v0/address/{address}/withdraw': {
    id: 'withdrawAddress',
    summary: 'Take the readable address of a site away',
    description:
      "For ever: it answers 410 within a minute, and is nobody's any more. The site stays on its own host; to stop that, deny it.",
    token: 'moderate',
    path: { address: named('site address', noted(text(), 'The label, as `almanac`.')) },
    body: Withdrawn,
    example: { reason: 'Pretends to be a bank' },
    answers: { 204: 'It is withdrawn.' },
    refuses: [404],
  },
  'GET /v0/denied/export': {
    id: 'exportDenied',
    summary: 'The denylist, for other gateways',
    description:
      'In the compact format (IPIP-383), as double hashes: anyone with a CID can check whether it is denied, and nobody can read the list.',
    answers: { 200: content('The list.', 'text/plain') },
  },
  'GET /v0/denied/import': {
    id: 'readDenylistImport',
    summary: 'The denylist of others that is followed',
    token: 'moderate',
    answers: { 200: json('Its state.', DenylistImport) },
  },
  'POST /v0/report': {
    id: 'report',
    summary: 'Report something that should not be served',
    description: `Without a token. Reports of the same thing are one, counted by distinct networks; the first ${REPORT_LIMITS.statements} statements are stored. What is neither here nor in a cache is looked up on the chains or IPFS first. The number from one address in an hour is limited, and ${REPORT_LIMITS.openOfNetwork} from one network may wait.`,
    body: NewReport,
    example: {
      kind: 'cid',
      value: 'bafkqaaa',
      reason: 'A copy of the sign-in page of a bank',
      evidence: 'https://bank.example/warning-2026-11',
    },
    answers: {
      201: json('Somebody will look at it.', Reported),
      404: 'There is nothing of this name.',
    },
    refuses: [502, 503, 504],
  },
  'GET /v0/report': {
    id: 'listReports',
    summary: 'List what was reported',
    token: 'moderate',
    query: ReportQuery.entries,
    answers: { 200: page('At most 50, the oldest first.', 'reports', Report) },
  },
  'PUT /v0/report': {
    id: 'dismissReports',
    summary: 'Dismiss many reports at once',
    token: 'moderate',
    body: DismissedReports,
    example: { status: 'dismissed', ids: ['65f0a1b2c3d4e5f601020304'], reason: 'made up, all of one morning' },
    answers: { 200: json('How many were open, and are dismissed.', object({ dismissed: count() })) },
  },
  'PUT /v0/report/{id}': {
    id: 'decideReport',
    summary: 'Decide a report',
    description:
      '`denied` puts the thing on the denylist, in force within a minute; `dismissed` and `open` remove it if it was denied for this report.',
    token: 'moderate',
    path: { id: idOf('report') },
    body: ReportDecision,
    answers: { 200: json('The report.', Report) },
  },
})
