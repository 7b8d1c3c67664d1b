import { SITE_ADDRESS_PATTERN } from '../protocol/site-address.ts'
import { FileName, FROM_CURSOR, ItemId, idOf, named, ObjectId, StorageTarget, statement } from './fields.ts'
import { ItemStatus } from './item.ts'
import {
  flag,
  integer,
  list,
  noted,
  nullable,
  nullish,
  type Output,
  object,
  only,
  optional,
  seconds,
  text,
  timeOrNull,
  words,
} from './schema.ts'
import { STEP_STATES, STEPS } from './states.ts'

/** When a version is to become current that is not stored yet. */
const WHEN_STORED = 'when_stored'

const current = optional(
  only(
    WHEN_STORED,
    'The item need not be stored yet: the version becomes current once it is, unless the site would answer 500 with it, or another version is made current before.',
  ),
)

export const Site = object({
  id: idOf('site'),
  name: text(),
  host: text('Its own host under the storage host.'),
  url: text(),
  address: nullable(
    named('site address', text(undefined, { example: 'almanac' })),
    'Its readable address, the label in `<address>.<storage host>`; null where it has none.',
  ),
  addressUrl: nullable(text(), 'Of that address; null where it has none.'),
  version: nullable(named('version', integer()), 'The number of the current version; null before the first.'),
  item: nullable(named('item', text()), 'The item that is shown.'),
  versions: integer('The number of the latest version; 0 before the first.'),
  waiting: nullable(integer(), 'The number of the latest version that becomes current once it is stored.'),
  createdAt: seconds('When it was made'),
})

export const SiteVersion = object({
  number: named('version', integer()),
  item: ItemId,
  name: text('Of its item.'),
  note: nullable(text(), 'What its maker said is new in it.'),
  blockchain: StorageTarget,
  size: integer('Bytes of the content.'),
  status: ItemStatus,
  current: nullable(
    words([WHEN_STORED, 'site_fails']),
    '`when_stored`: it becomes current once it is stored. `site_fails`: it did not, since the site would answer 500 with it. Else null: `periods` says when it was current.',
  ),
  url: text('Of the version on a host of its own, current or not.'),
  createdAt: seconds('When it was added'),
  periods: list(
    object({
      from: seconds('When it became current'),
      until: nullable(integer(), 'When another one did; null while it is current.'),
      by: text('Who made it current.'),
    }),
    'When it was current, the latest first.',
    { most: 20 },
  ),
})

export const DomainStep = object({
  step: words(STEPS),
  state: words(STEP_STATES, '`unknown`: not checked yet, or it could not be reached, which is no failure.'),
  found: nullable(text()),
  wanted: nullable(text(), 'What should be there instead; null where it is right.'),
  checkedAt: nullable(integer(), 'In Unix seconds; null before the first look.'),
})
export type DomainStep = Output<typeof DomainStep>

export const Domain = object({
  host: named('host', text(undefined, { example: 'www.example.com' })),
  item: nullable(named('item', text()), 'The item that it shows; null for a site.'),
  site: nullable(named('site', text()), 'The site that it shows; null for an item.'),
  status: text(
    '`active`, or what Cloudflare says of the custom hostname; `waiting` for its record, or `stopped` after a day of that.',
  ),
  record: text('The DNS record that proved the claim, or is waited for.'),
  waitsUntil: timeOrNull('Until when DNS is checked each minute'),
  records: list(
    object({ type: words(['CNAME', 'TXT']), name: text(), content: text() }),
    'The records of which one is enough.',
  ),
  steps: list(DomainStep, 'What the last check found, in order.'),
})

const confirm = optional(flag('Show it though its `_headers` or `_redirects` make the site answer 500.'))

export const NewSite = object({ name: FileName, item: optional(ItemId), current, confirm })
/** Files that say how a site answers, before they are sent anywhere. */
export const SiteFiles = object({
  headers: optional(text('What `_headers` has.')),
  redirects: optional(text('What `_redirects` has.')),
})
export type SiteFiles = Output<typeof SiteFiles>
export const SiteChange = object({ name: FileName })
export const NewAddress = object({
  address: text('The label in `<address>.<storage host>`.', {
    pattern: SITE_ADDRESS_PATTERN,
    sentence:
      'must be 3 to 40 of a-z, 0-9 and "-", begin with a letter, not end with "-", have no "--", and not be hex digits alone.',
    example: 'almanac',
  }),
})
export const Withdrawn = object({ reason: statement(1000) })
export const SiteQuery = object({ name: optional(text('Only those of exactly this name.')), ...FROM_CURSOR })
export type SiteQuery = Output<typeof SiteQuery>
/** Characters of the note of a version. */
const MAX_NOTE = 500

export const NewSiteVersion = object({
  item: ItemId,
  current,
  note: nullish(
    text('What is new in it.', {
      most: MAX_NOTE,
      allowed: (note) => note.isWellFormed() && !/\p{Cc}/u.test(note),
      sentence: `must be a text of at most ${MAX_NOTE} characters in one line.`,
    }),
  ),
})
export const CurrentVersion = object({
  version: named('version', integer('Its number.', { least: 1, sentence: 'must be the number of a version.' })),
  confirm,
})

const HOST = { pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$', maxLength: 253 }
/** A host; whether it is one that can be claimed, is checked when it is. */
export const host = (description?: string) => noted(text(), description, HOST)
/** A host of the caller's own, and what it is to show: a site or an item. */
export const NewDomain = object({
  site: optional(ObjectId),
  item: optional(ItemId),
  wait: optional(flag()),
  host: host(),
})
export type NewDomain = Output<typeof NewDomain>
export const DomainQuery = object({
  site: optional(named('site', noted(ObjectId, 'Only those that show this site.'))),
  ...FROM_CURSOR,
})
