import { STEP_STATES, STEPS } from '../../sites/domains/domain-steps.ts'
import { object, ref, type Schema } from '../operation.ts'
import { OBJECT_ID, seconds } from './field-schemas.ts'

/** Sites, their versions, and domains. */
export const SITE_SCHEMAS: Record<string, Schema> = {
  Site: object({
    id: OBJECT_ID,
    name: { type: 'string' },
    host: { type: 'string', description: 'Its own host under the storage host.' },
    url: { type: 'string' },
    version: { type: ['integer', 'null'], description: 'The number of the current version; null before the first.' },
    item: { type: ['string', 'null'], description: 'The item that is shown.' },
    versions: { type: 'integer', description: 'How many there are, which is the number of the latest.' },
    createdAt: seconds('When it was made'),
  }),
  SiteVersion: object({
    number: { type: 'integer' },
    item: OBJECT_ID,
    name: { type: 'string', description: 'Of its item.' },
    note: { type: ['string', 'null'], description: 'What its maker said is new in it.' },
    blockchain: ref('StorageTarget'),
    size: { type: 'integer', description: 'Bytes of the content.' },
    url: { type: 'string', description: 'Of the version on a host of its own, current or not.' },
    createdAt: seconds('When it was added'),
    periods: {
      type: 'array',
      maxItems: 20,
      items: object({
        from: seconds('When it became current'),
        until: { type: ['integer', 'null'], description: 'When another one did; null while it is current.' },
        by: { type: 'string', description: 'Who made it current.' },
      }),
      description: 'When it was current, the latest first.',
    },
  }),
  Domain: object({
    host: { type: 'string', example: 'www.example.com' },
    item: { type: ['string', 'null'], description: 'The item that it shows; null for a site.' },
    site: { type: ['string', 'null'], description: 'The site that it shows; null for an item.' },
    status: {
      type: 'string',
      description:
        '`active`, or what Cloudflare says of the custom hostname; `waiting` for its record, or `stopped` after a day of that.',
    },
    record: { type: 'string', description: 'The DNS record that proved the claim, or is waited for.' },
    waitsUntil: { type: ['integer', 'null'], description: 'Until when DNS is asked each minute, in Unix seconds.' },
    records: {
      type: 'array',
      description: 'The records of which one is enough.',
      items: object({
        type: { type: 'string', enum: ['CNAME', 'TXT'] },
        name: { type: 'string' },
        content: { type: 'string' },
      }),
    },
    steps: { type: 'array', items: ref('DomainStep'), description: 'What the last check found, in order.' },
  }),
  DomainStep: object({
    step: { type: 'string', enum: STEPS },
    state: {
      type: 'string',
      enum: STEP_STATES,
      description: '`unknown`: not looked at yet, or it could not be asked, which is no failure.',
    },
    found: { type: ['string', 'null'] },
    wanted: { type: ['string', 'null'], description: 'What should be there instead; null where it is right.' },
    checkedAt: { type: ['integer', 'null'], description: 'In Unix seconds; null before the first look.' },
  }),
}
