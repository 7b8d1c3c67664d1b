import * as v from 'valibot'
import { Blockchain, FROM_CURSOR, idOf, MESSAGE, named, statement } from './fields.ts'
import { REPORT_LIMITS } from './limits.ts'
import {
  count,
  integer,
  list,
  nullable,
  nullish,
  type Output,
  object,
  optional,
  seconds,
  text,
  timeOrNull,
  words,
} from './schema.ts'
import { DENIED_KINDS, REPORT_STATUSES } from './states.ts'

const Reason = statement(1000)
/** A thing by its name; whether the value is one, is checked with its kind. */
const Thing = {
  kind: words(DENIED_KINDS),
  value: text('Of an item or site its id, or its host; of a site also its readable address, which stands for its id.'),
}
const DENIED_THING = { kind: named('denied kind', Thing.kind), value: named('denied value', Thing.value) }

export const Denied = object({ ...DENIED_THING, reason: Reason })
export const Lifted = object({ ...DENIED_THING, reason: optional(Reason) })

export const DeniedEntry = object({
  ...DENIED_THING,
  reason: text(),
  deniedBy: text('The account of the moderator.'),
  updatedAt: seconds('When it was put on the list'),
})

export const DenylistImport = object({
  url: nullable(text(), 'As the operator set it; null where none is followed.'),
  entries: count(),
  skipped: count('Rules that are of no use here.'),
  leftOut: count('Rules above the limit.'),
  checkedAt: timeOrNull('When it was last checked'),
  changedAt: timeOrNull('When it last changed'),
  problem: nullable(text(), 'Why the last check failed; the previous list remains active.'),
})

export const NewReport = object({
  ...Thing,
  blockchain: optional(Blockchain),
  reason: Reason,
  evidence: nullish(statement(4000, undefined, { least: 0 }), 'What shows it: a text, or where it can be seen.'),
})
export type NewReport = Output<typeof NewReport>
export const Reported = object({ id: idOf('report'), ...MESSAGE.entries })
export const ReportQuery = object({
  status: v.optional(words(REPORT_STATUSES, 'Only these; `open` by default.'), 'open'),
  ...FROM_CURSOR,
})
export const ReportDecision = object({ status: words(REPORT_STATUSES), reason: Reason })

/** What is dismissed at once. */
export const DismissedReports = object({
  status: words(['dismissed']),
  ids: list(idOf('report'), 'Of the reports; those that are not open stay as they are.', {
    least: 1,
    most: REPORT_LIMITS.dismissed,
  }),
  reason: Reason,
})

export const Report = object({
  id: idOf('report'),
  kind: words(DENIED_KINDS),
  value: text(),
  blockchain: nullable(text(), 'Where a transaction was seen.'),
  reason: text('Of the first who reported it, as are `evidence` and `oldest`.'),
  evidence: nullable(text()),
  reports: integer('How often it was reported.', { least: 1 }),
  oldest: seconds('When it was reported first'),
  status: words(REPORT_STATUSES),
  url: nullable(text(), 'Its URL, on a host of its own.'),
  address: nullable(
    named('site address', text()),
    'The readable address of the site that was reported, if it has one.',
  ),
  statements: list(
    object({ at: seconds('When it was said'), reason: text(), evidence: nullable(text()) }),
    'What the first ten who reported it said.',
  ),
  decision: nullable(object({ by: text(), at: seconds('When it was decided'), reason: nullable(text()) })),
})
