import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import {
  type Client,
  createClient,
  memoryStateStore,
  type PutOptions,
  readChainContent,
  readIpfs,
} from '../../client/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'hookline-signal-'))
writeFileSync(join(folder, 'index.html'), '<p>')
afterAll(() => rmSync(folder, { recursive: true }))

const TO: PutOptions = { to: 'IPFS' }
const FILE = { path: 'a.txt', content: 'a' }
const CID = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

type Options = { signal: AbortSignal }
type Fetch = (url: string, init: RequestInit) => Promise<Response>
type Calls = Record<string, (client: Client, options: Options) => unknown>

/** Every method with a signal; lists and streams are started by requesting their first entry. */
const CALLS: Calls = {
  login: (c, o) => c.login('a@example.com', 'password', o),
  logout: (c, o) => c.logout(o),
  put: (c, o) => c.put(FILE, { ...TO, ...o }),
  putFolder: (c, o) => c.putFolder(folder, { ...TO, ...o }),
  inspect: (c, o) => c.inspect(FILE, { ...TO, ...o }),
  get: (c, o) => c.get({ id: 'i1' }, o),
  events: (c, o) => first(c.events(o)),
  watch: (c, o) => first(c.watch('i1', o)),
  estimate: (c, o) => c.estimate({ blockchain: 'IPFS', files: [] }, o),
  targets: (c, o) => c.targets(o),
  pay: (c, o) => c.pay({ blockchain: 'IPFS', ids: ['i1'] }, o),
  request: (c, o) => c.request({ method: 'GET', path: '/v0/user', ...o }),
  'items.list': (c, o) => first(c.items.list({}, o)),
  'items.get': (c, o) => c.items.get('i1', o),
  'items.known': (c, o) => c.items.known({ blockchain: 'IPFS' }, o),
  'items.counts': (c, o) => c.items.counts(o),
  'items.update': (c, o) => c.items.update('i1', { name: 'b' }, o),
  'items.delete': (c, o) => c.items.delete('i1', o),
  'items.retry': (c, o) => c.items.retry('i1', o),
  'items.create': (c, o) => c.items.create({ name: 'a', mimetype: 'text/plain', blockchain: 'IPFS', size: 1 }, o),
  'items.createMany': (c, o) => c.items.createMany([], o),
  'items.sendChunk': (c, o) => c.items.sendChunk('i1', 0, new Uint8Array(1), o),
  'items.held': (c, o) => c.items.held('i1', o),
  'items.merge': (c, o) => c.items.merge('i1', o),
  'items.mergeMany': (c, o) => c.items.mergeMany(['i1'], o),
  'items.transactions': (c, o) => first(c.items.transactions('i1', o)),
  'items.receipt': (c, o) => c.items.receipt('i1', o),
  'items.problems': (c, o) => c.items.problems('i1', o),
  'items.takeDown': (c, o) => c.items.takeDown('i1', o),
  'items.source': (c, o) => c.items.source('i1', o),
  'folders.create': (c, o) => c.folders.create({ name: 'f', blockchain: 'IPFS' }, o),
  'folders.get': (c, o) => c.folders.get('f1', o),
  'folders.update': (c, o) => c.folders.update('f1', { name: 'g' }, o),
  'folders.delete': (c, o) => c.folders.delete('f1', o),
  'folders.list': (c, o) => first(c.folders.list(undefined, o)),
  'folders.merge': (c, o) => c.folders.merge('f1', o),
  'folders.known': (c, o) => c.folders.known('f1', [], o),
  'orders.list': (c, o) => first(c.orders.list(o)),
  'orders.get': (c, o) => c.orders.get('o1', o),
  'orders.delete': (c, o) => c.orders.delete('o1', o),
  'payments.request': (c, o) => c.payments.request({ blockchain: 'IPFS', ids: ['i1'] }, o),
  'payments.get': (c, o) => c.payments.get('address', o),
  'payments.list': (c, o) => first(c.payments.list(o)),
  'payments.cancel': (c, o) => c.payments.cancel('address', o),
  'payments.address': (c, o) => c.payments.address('Bitcoin', o),
  'payments.ledger': (c, o) => first(c.payments.ledger(o)),
  prices: (c, o) => c.prices(o),
  'account.get': (c, o) => c.account.get(o),
  'account.sendNewEmail': (c, o) => c.account.sendNewEmail({ email: 'a@example.com', password: 'p' }, o),
  'withdrawals.create': (c, o) => c.withdrawals.create({ blockchain: 'Bitcoin', address: 'a', amount: '1' }, o),
  'withdrawals.list': (c, o) => first(c.withdrawals.list(o)),
  'withdrawals.fee': (c, o) => c.withdrawals.fee('Bitcoin', o),
  'keys.create': (c, o) => c.keys.create({ name: 'k', scopes: ['read'] }, o),
  'keys.list': (c, o) => first(c.keys.list(o)),
  'keys.revoke': (c, o) => c.keys.revoke('k1', o),
  'sites.create': (c, o) => c.sites.create({ name: 's' }, o),
  'sites.list': (c, o) => first(c.sites.list(o)),
  'sites.problems': (c, o) => c.sites.problems({ headers: '' }, o),
  'sites.get': (c, o) => c.sites.get('s1', o),
  'sites.rename': (c, o) => c.sites.rename('s1', 't', o),
  'sites.setAddress': (c, o) => c.sites.setAddress('s1', 'almanac', o),
  'sites.endAddress': (c, o) => c.sites.endAddress('s1', o),
  'sites.withdrawAddress': (c, o) => c.sites.withdrawAddress('almanac', 'r', o),
  'sites.delete': (c, o) => c.sites.delete('s1', o),
  'sites.versions': (c, o) => first(c.sites.versions('s1', o)),
  'sites.addVersion': (c, o) => c.sites.addVersion('s1', { item: 'i1' }, o),
  'sites.setCurrent': (c, o) => c.sites.setCurrent('s1', 1, o),
  'domains.create': (c, o) => c.domains.create({ host: 'a.example' }, o),
  'domains.list': (c, o) => first(c.domains.list(o)),
  'domains.get': (c, o) => c.domains.get('a.example', o),
  'domains.delete': (c, o) => c.domains.delete('a.example', o),
  'domains.checkClaim': (c, o) => c.domains.checkClaim('a.example', o),
  'domains.check': (c, o) => c.domains.check('a.example', o),
}

async function first<Entry>(list: AsyncIterable<Entry>): Promise<Entry | undefined> {
  for await (const entry of list) return entry
  return undefined
}

/** A service that answers nothing until the request is ended. */
function silent(onAsked: () => void) {
  const ended: unknown[] = []
  const fetch = (_: string, { signal }: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      const end = () => {
        ended.push(signal?.reason)
        reject(signal?.reason)
      }
      if (signal?.aborted) return end()
      signal?.addEventListener('abort', end)
      onAsked()
    })
  return { fetch, ended }
}

/** A client whose requests end with the reason of the signal, aborted when the first one is on its way. */
async function abortedWhileAsking(run: (client: Client, options: Options & { fetch: Fetch }) => unknown) {
  const controller = new AbortController()
  const reason = new Error('The person changed their mind.')
  const service = silent(() => controller.abort(reason))
  const tokens = { load: async () => 'e30.eyJleHAiOjQwMDAwMDAwMDB9.c2ln', save: async () => {} }
  const state = memoryStateStore()
  const client = createClient({ api: 'https://api.test', key: 'hk_test', tokens, fetch: service.fetch, state })
  const end = await Promise.resolve(run(client, { signal: controller.signal, fetch: service.fetch })).then(
    () => 'it went on',
    (error: unknown) => error,
  )
  return { end, ended: service.ended, reason }
}

describe('a signal', () => {
  it('is taken by every method of the client', () => {
    const client = createClient({ api: 'https://api.test', key: 'hk_test', state: memoryStateStore() })
    const named = Object.entries(client).flatMap(([name, value]) =>
      typeof value === 'function'
        ? [name]
        : value instanceof URL
          ? []
          : Object.keys(value).map((method) => `${name}.${method}`),
    )
    expect(Object.keys(CALLS).sort()).toEqual(named.sort())
  })

  it.each(Object.entries(CALLS))(
    'ends %s at once with its reason, and the request that is on its way',
    async (_, call) => {
      const { end, ended, reason } = await abortedWhileAsking(call)
      expect(end).toBe(reason)
      // Beside its own question, watch listens to events.
      expect(ended).toContain(reason)
    },
  )

  it.each<[string, (options: Options & { fetch: Fetch }) => Promise<unknown>]>([
    ['readIpfs', async (options) => (await readIpfs(CID, { api: 'https://api.test', ...options })).text()],
    [
      'readChainContent',
      (options) =>
        readChainContent({ blockchain: 'Bitcoin', txids: ['ab'.repeat(32)] }, { api: 'https://api.test', ...options }),
    ],
  ])('ends %s at once with its reason', async (_, read) => {
    const { end, reason } = await abortedWhileAsking((_client, options) => read(options))
    expect(end).toBe(reason)
  })
})
