import { named } from '../fields.ts'
import { json, operations, page } from '../operation.ts'
import { Domain, DomainQuery, host, NewDomain } from '../site.ts'

const path = { host: named('host', host('The host.')) }

/** Hosts of the caller's own. */
export const DOMAIN_OPERATIONS = operations('Domains and denylist', {
  'POST /v0/domain': {
    id: 'claimDomain',
    summary: 'Show a site or an item on a host of yours',
    description:
      'Its CNAME must point to `<object id>.<storage host>`, or its TXT record `_hookline.<host>` be `site=<id>` or `item=<id>`. With `wait`, a missing record is checked each minute for a day; until then others can claim the host too, and it counts as one of your domains.',
    token: 'store',
    keys: ['sites'],
    idempotent: true,
    body: NewDomain,
    example: { host: 'www.example.com', item: '6b01a4cc8a40fc232d317ec6' },
    answers: {
      201: json('Claimed.', Domain),
      202: json('DNS does not point here yet, and is checked each minute.', Domain),
      409: 'DNS does not point here yet, and the message says which record to make; another account has the host; nothing that it would show is stored; or the account has the maximum number of domains.',
    },
    refuses: [404],
  },
  'GET /v0/domain': {
    id: 'listDomains',
    summary: 'List your hosts',
    token: 'store',
    keys: ['read', 'sites'],
    query: DomainQuery.entries,
    answers: { 200: page('At most 100.', 'domains', Domain) },
  },
  'GET /v0/domain/{host}': {
    id: 'readDomain',
    summary: 'Read what the last check of a host found',
    token: 'store',
    keys: ['read', 'sites'],
    path,
    answers: { 200: json('The host.', Domain) },
    refuses: [404],
  },
  'DELETE /v0/domain/{host}': {
    id: 'giveUpDomain',
    summary: 'Release a host, or stop waiting for it',
    token: 'store',
    keys: ['sites'],
    path,
    answers: { 204: 'It is released.' },
    refuses: [404],
  },
  'GET /v0/domain/{host}/claim': {
    id: 'checkClaim',
    summary: 'Check whether a host can be claimed, without its DNS',
    description: 'Nothing is claimed, and DNS is not read. For a check before paying for what the host will show.',
    token: 'store',
    keys: ['read', 'sites'],
    path,
    answers: {
      204: 'Nothing is against it.',
      409: 'Another account has it, or the account has the maximum number of domains.',
    },
    refuses: [400, 503],
  },
  'POST /v0/domain/{host}/check': {
    id: 'checkDomain',
    summary: 'Check a host, step by step',
    description:
      'Its record and where it leads, addresses that lead elsewhere, CAA records, the certificate, and who answers. A host that waits for its record and has it is claimed. Within 5 s of a check, what that one found is answered.',
    token: 'store',
    keys: ['sites'],
    path,
    answers: { 200: json('What was found.', Domain) },
    refuses: [404],
  },
})
