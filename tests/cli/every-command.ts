import { writeFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { writeDoginalFrom } from '../../devnet/others/transactions-of-others.ts'
import { decodeTransaction } from '../../protocol/transaction.ts'
import { requestJson } from '../client/fake-api.ts'
import { chainContent, chainServer } from '../reader/chain-server.ts'
import { makeProof } from '../reader/proof/make-proof.ts'
import { ApiServer, type Route, TARGETS } from './api-server.ts'
import { blockNode } from './block-node.ts'
import { User } from './run-hookline.ts'
import { SITE, serveSites } from './site-server.ts'

const TRANSACTIONS = chainContent(brotliCompressSync(Buffer.from('letter')), 80)
const TXIDS = TRANSACTIONS.map(({ txid }) => txid).join()
const COIN = { txid: 'c0'.repeat(32), vout: 0, amount: 100_000n, script: Uint8Array.of(0x51) }
const DOGINAL = writeDoginalFrom(COIN, { type: 'text/plain', body: Buffer.from('letter'), partBytes: 3, partsEach: 1 })
const ITEM = '00000000000000000000abcd'
const ORDER = '5f0e3c1a-7f5b-4d2e-9a53-0c4b8f1d2e6a'

const item = {
  ...{ id: ITEM, name: 'a.txt', mimetype: 'text/plain', blockchain: 'Nativecoin', status: '402 Payment Required' },
  ...{ message: null, size: 6, storedSize: 9, cid: null, transactions: 1, written: 0, confirmed: 0, createdAt: 1 },
  ...{ links: { content: 'https://x/', web: null, site: 'https://x/' }, embed: null },
  ...{ folder: null, path: null, files: null },
}

const order = {
  ...{ id: ORDER, name: 'a.txt', blockchain: 'Nativecoin', createdAt: 1, payments: [] },
  counts: { 200: 1, 201: 0, 202: 0, 402: 2, 409: 0 },
}

const WITHDRAWAL = {
  ...{ id: 'w1', blockchain: 'Bitcoin', address: 'a', amount: 1, fee: 0.0001, state: 'sent' },
  ...{ txid: null, depth: 0, createdAt: 1 },
}
const KEY = {
  ...{ id: 'k1', name: 'ci', scopes: ['read'] },
  ...{ createdAt: 1, expiresAt: null, lastUsedAt: null, spending: null },
}

/** An API that every command succeeds with; at its root is a Dogecoin node, which also has the letter's transactions. */
const everyRoute = (): Route[] => [
  TARGETS,
  blockNode({ blocks: [[...DOGINAL.transactions, ...TRANSACTIONS.map(({ bytes }) => decodeTransaction(bytes))]] }),
  ['GET', new RegExp(`^/v0/item/${ITEM}$`), () => ({ json: item })],
  ['GET', /^\/v0\/item(\?.*)?$/, () => ({ json: { items: [item, item] } })],
  ['PATCH', /^\/v0\/item\//, ({ body }) => ({ json: { ...item, ...JSON.parse(body) } })],
  ['DELETE', /^\/v0\/item\//, () => ({ status: 204 })],
  ['POST', /^\/v0\/item\/[0-9a-f]+\/take-down$/, () => ({ status: 204 })],
  ['GET', /^\/v0\/order/, () => ({ json: { orders: [order] } })],
  ['DELETE', /^\/v0\/order\//, () => ({ status: 204 })],
  [
    'POST',
    /^\/v0\/payment$/,
    ({ body }) => {
      const request = { message: 'Pay.', amount: 0.001, address: 'address', uri: 'coin:address', received: 0 }
      if (!body.includes(ITEM)) return undefined
      return {
        status: 402,
        json: { ...request, networkFee: 0.001, storageFee: 0, expiresAt: 2_000_000_000, confirmations: 1 },
      }
    },
  ],
  ['GET', /^\/v0\/payment\?address=/, () => ({ json: requestJson({ address: 'address', ...{ amount: 0.001 } }) })],
  ['GET', /^\/v0\/user\/keys/, () => ({ json: { keys: [KEY] } })],
  ['POST', /^\/v0\/user\/keys$/, () => ({ status: 201, json: { id: 'k1', key: 'hk_secret' } })],
  ['DELETE', /^\/v0\/user\/keys\//, () => ({ status: 204 })],
  ['GET', /^\/v0\/withdrawal\/fee/, () => ({ json: { fee: 0.0001 } })],
  ['POST', /^\/v0\/withdrawal$/, () => ({ status: 201, json: WITHDRAWAL })],
  ['GET', /^\/v0\/proof\//, () => ({ json: makeProof(TRANSACTIONS.map(({ bytes }) => bytes)) })],
  [
    'GET',
    /^\/v0\/tx\//,
    async ({ path }) => {
      const response = await chainServer(TRANSACTIONS).fetch(`http://x${path}`)
      return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
    },
  ],
]

/** Of Bitcoin, with the difficulty of the block that the API has. */
export const PINNED = { Bitcoin: { height: 255, root: '00'.repeat(32), bits: 0x207fffff, time: 1_700_000_000 } }

/** A way to run each command to a success. */
export const EVERY_COMMAND: Record<string, readonly string[]> = {
  put: ['put', 'a.txt', '--to', 'nativecoin', '--max-fee', '1'],
  estimate: ['estimate', 'a.txt', '--to', 'bitcoin'],
  pay: ['pay', ITEM, '--max-fee', '1'],
  status: ['status'],
  ls: ['ls'],
  change: ['change', ITEM, '--mimetype', 'image/png'],
  rm: ['rm', ITEM, '--yes'],
  hide: ['hide', ITEM],
  unhide: ['unhide', ITEM],
  'take-down': ['take-down', ITEM, '--yes'],
  'order ls': ['order', 'ls'],
  'order rm': ['order', 'rm', ORDER, '--yes'],
  'site deploy': ['site', 'deploy', 'site', '--site', SITE, '--max-fee', '1', '--pay-from-balance'],
  'site ls': ['site', 'ls'],
  'site versions': ['site', 'versions', SITE],
  'site rollback': ['site', 'rollback', SITE, '2'],
  'site address': ['site', 'address', SITE, 'almanac'],
  'site withdraw-address': ['site', 'withdraw-address', 'almanac', '--reason', 'r', '--yes'],
  'site rm': ['site', 'rm', SITE, '--yes'],
  get: ['get', TXIDS, '-o', 'letter', '--chain', 'dogecoin'],
  find: ['find', `${DOGINAL.name.slice(0, 64)}i0`],
  prove: ['prove', TXIDS, '--checkpoint', 'pinned.json', '--state', 'worked 1', '-o', 'letter.hookline', '--force'],
  verify: ['verify', 'letter.txt', TXIDS, '--chain', 'dogecoin'],
  balance: ['balance'],
  withdraw: ['withdraw', '1', 'address', '--chain', 'bitcoin', '--max-fee', '1', '--yes'],
  login: ['login'],
  logout: ['logout'],
  whoami: ['whoami'],
  keys: ['keys'],
  'keys create': ['keys', 'create', 'ci', '--scope', 'read'],
  'keys revoke': ['keys', 'revoke', 'k1'],
  help: ['help'],
  completion: ['completion', 'bash'],
}

/** A user with files, of an API that has everything. */
export async function startEverything() {
  const api = await ApiServer.start(everyRoute())
  serveSites(api).versions = [{ number: 1, item: 'e'.repeat(24) }]
  api.fake.balance = 1_000_000
  const user = new User(api.url, { HOOKLINE_NODE: api.url })
  writeFileSync(user.path('a.txt'), 'a file')
  writeFileSync(user.path('letter.txt'), 'letter')
  user.write('pinned.json', JSON.stringify(PINNED))
  user.write('site/index.html', '<h1>Site</h1>')
  return { api, user }
}
