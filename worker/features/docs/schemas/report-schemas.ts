import { DENIED_KINDS } from '../../../content/denylist/denied.ts'
import { object, ref, type Schema } from '../operation.ts'
import { OBJECT_ID, REPORT_STATUS, seconds } from './field-schemas.ts'

/** What is not served, and what was reported. */
export const REPORT_SCHEMAS: Record<string, Schema> = {
  Denied: object({
    kind: { type: 'string', enum: DENIED_KINDS },
    value: { type: 'string' },
    reason: { type: 'string', maxLength: 1000 },
  }),
  DeniedEntry: object({
    kind: { type: 'string', enum: DENIED_KINDS },
    value: { type: 'string' },
    reason: { type: 'string' },
    deniedBy: { type: 'string', description: 'The account of the moderator.' },
    updatedAt: seconds('When it was put on the list'),
  }),
  DenylistImport: object({
    url: { type: ['string', 'null'], description: 'As the operator set it; null where none is followed.' },
    entries: { type: 'integer', minimum: 0 },
    skipped: { type: 'integer', minimum: 0, description: 'Rules that are of no use here.' },
    leftOut: { type: 'integer', minimum: 0, description: 'Rules beyond the most that are taken.' },
    checkedAt: { type: ['integer', 'null'], description: 'When it was looked at, in Unix seconds.' },
    changedAt: { type: ['integer', 'null'], description: 'When it last changed, in Unix seconds.' },
    problem: { type: ['string', 'null'], description: 'Why the last look failed; what was known holds.' },
  }),
  NewReport: object(
    {
      kind: { type: 'string', enum: DENIED_KINDS },
      value: { type: 'string' },
      blockchain: ref('Blockchain'),
      reason: { type: 'string', maxLength: 1000 },
      evidence: {
        type: ['string', 'null'],
        maxLength: 4000,
        description: 'What shows it: a text, or where it can be seen.',
      },
    },
    ['blockchain', 'evidence'],
  ),
  Report: object({
    id: OBJECT_ID,
    kind: { type: 'string', enum: DENIED_KINDS },
    value: { type: 'string' },
    blockchain: { type: ['string', 'null'], description: 'Where a transaction was seen.' },
    reason: { type: 'string', description: 'Of the first who reported it, as are `evidence` and `oldest`.' },
    evidence: { type: ['string', 'null'] },
    reports: { type: 'integer', minimum: 1, description: 'How often it was reported.' },
    oldest: seconds('When it was reported first'),
    status: REPORT_STATUS,
    url: { type: ['string', 'null'], description: 'Where it can be looked at, on a host of its own.' },
    statements: {
      type: 'array',
      description: 'What the first ten who reported it said.',
      items: object({
        at: seconds('When it was said'),
        reason: { type: 'string' },
        evidence: { type: ['string', 'null'] },
      }),
    },
    decision: {
      oneOf: [
        object({
          by: { type: 'string' },
          at: seconds('When it was decided'),
          reason: { type: ['string', 'null'] },
        }),
        { type: 'null' },
      ],
    },
  }),
}
