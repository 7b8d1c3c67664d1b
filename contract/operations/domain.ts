import { json, operations, page } from '../operation.ts'
import { Domain, DomainQuery, host, NewDomain } from '../site.ts'

const path = { host: host('The host.') }

/** Hosts of the caller's own. */
export const DOMAIN_OPERATIONS = operations('Domains and denylist', {
  'POST /v0/domain': {
    id: 'claimDomain',
    summary: 'Show a site or an item on a host of yours',
    description:
      'Its CNAME must point to `<object id>.<storage host>`, or its TXT record `_hookline.<host>` be `site=<id>` or `item=<id>`. With `wait`, a record that is not there yet is asked for each minute, for a day; that keeps nobody else from the host, and counts as one of your domains.',
    token: 'store',
    idempotent: true,
    body: NewDomain,
    example: { host: 'www.example.com', item: '6b01a4cc8a40fc232d317ec6' },
    answers: {
      201: json('Claimed.', Domain),
      202: json('DNS does not point here yet, and is asked each minute.', Domain),
      409: 'DNS does not point here yet, the message says which record to make; it is taken; nothing is stored that it would show; or the account has as many domains as it may have.',
    },
    refuses: [404],
  },
  'GET /v0/domain': {
    id: 'listDomains',
    summary: 'List your hosts',
    token: 'store',
    query: DomainQuery.entries,
    answers: { 200: page('At most 100.', 'domains', Domain) },
  },
  'GET /v0/domain/{host}': {
    id: 'readDomain',
    summary: 'Read what the last check of a host found',
    token: 'store',
    path,
    answers: { 200: json('The host.', Domain) },
    refuses: [404],
  },
  'DELETE /v0/domain/{host}': {
    id: 'giveUpDomain',
    summary: 'Give a host up, or the wait for it',
    token: 'store',
    path,
    answers: { 204: 'It is given up.' },
    refuses: [404],
  },
  'GET /v0/domain/{host}/claim': {
    id: 'checkClaim',
    summary: 'Whether a claim of a host would be refused, whatever its DNS says',
    description: 'Nothing is claimed, and no DNS is asked: for who is about to pay for what the host is to show.',
    token: 'store',
    path,
    answers: {
      204: 'Nothing is against it.',
      409: 'It is taken, or the account has as many domains as it may have.',
    },
    refuses: [400, 503],
  },
  'POST /v0/domain/{host}/check': {
    id: 'checkDomain',
    summary: 'Check a host, step by step',
    description:
      'Its record and where it leads, addresses that lead elsewhere, CAA records, the certificate, and who answers. A host that waits for its record and has it is claimed. Within 5 s of a check, what that one found is answered.',
    token: 'store',
    path,
    answers: { 200: json('What was found.', Domain) },
    refuses: [404],
  },
})
