import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { addWebhook } from './answer-account.ts'
import { addFolder, addItem, type FakeState, nowSeconds, objectId } from './fake-state.ts'
import { storeOnChain } from './stored-content.ts'

export const LETTER = 'You only had to know the names.'
export const ADDRESS = 'ncrt1q5vw9fx0ka3c8e72hr4mtd6zpl0gsy8u2nje7qd'

/** Ids of what an account some weeks old has, who operates as well. */
export interface Furnished {
  picture: string
  folder: string
  site: string
  /** Of an order at each of its steps. */
  orders: Record<Step, string>
}

type Step = 'upload' | 'pay' | 'write' | 'done'

/** Every view: its name, its address, its heading. */
export const VIEWS: readonly (readonly [name: string, path: (made: Furnished) => string, title: string])[] = [
  ['sign-in', () => '', 'Sign in'],
  ['sign-up', () => '/sign-up', 'Make an account'],
  ['reset', () => '/reset', 'Choose a new password'],
  ['store', () => '/store', 'Store'],
  ['order waiting', ({ orders }) => `/order/${orders.upload}`, 'Waiting for your file'],
  ['order paying', ({ orders }) => `/order/${orders.pay}`, 'Pay on Nativecoin'],
  ['order writing', ({ orders }) => `/order/${orders.write}`, 'Writing 2 transactions'],
  ['order done', ({ orders }) => `/order/${orders.done}`, '2 files are in the chain'],
  ['library', () => '/library', 'Library'],
  ['folder', ({ folder }) => `/library/folder/${folder}`, 'almanac'],
  ['item', ({ picture }) => `/item/${picture}`, 'harbour.jpg'],
  ['receipt', ({ picture }) => `/item/${picture}/receipt`, 'Receipt'],
  ['sites', () => '/sites', 'Sites'],
  ['site', ({ site }) => `/sites/${site}`, 'The almanac'],
  ['money', () => '/money', 'Money'],
  ['pay', () => `/pay/${ADDRESS}`, 'Pay on Nativecoin'],
  ['withdraw', () => '/money/withdraw', 'Withdraw'],
  ['account', () => '/account', 'Account'],
  ['help', () => '/help', 'Help'],
  ['help door', () => '/help', 'Help'],
  ['webhooks', () => '/account/webhooks', 'Webhooks'],
  ['health', () => '/operate/health', 'Health'],
  ['failed record', () => '/operate/failed-records', 'Failed records'],
  ['reports', () => '/operate/reports', 'Reports'],
  ['denylist', () => '/operate/denylist', 'Denylist'],
  ['users', () => '/operate/users', 'Users'],
  ['reconciliation', () => '/operate/reconciliation', 'Reconciliation'],
  ['audit', () => '/operate/audit', 'Audit log'],
]

/** Whether nobody is signed in where this view is seen. */
export function isDoor(name: string): boolean {
  return ['sign-in', 'sign-up', 'reset', 'help door'].includes(name)
}

/** Fills an account, so that each view has something to show. */
export function furnish(state: FakeState): Furnished {
  state.permissions = ['store', 'pay', 'operate', 'moderate', 'users']
  state.letter = storeOnChain(Buffer.from(LETTER))
  state.letter.txids.forEach((txid, index) => {
    const transaction = state.letter?.transactions[index]
    if (transaction) state.chain.set(txid, transaction)
  })
  const bytes = readFileSync(new URL('../../../docs/sample.jpg', import.meta.url))
  const picture = addItem(state, { name: 'harbour.jpg', mimetype: 'image/jpeg', bytes }).id
  addItem(state, { name: 'soup.txt', blockchain: 'Bitcoin', status: '402 Payment Required' })
  addItem(state, { name: 'foghorn.opus', mimetype: 'audio/ogg', status: '409 Conflict', message: 'The fee rose.' })
  const folder = addFolder(state, { name: 'almanac' }).id
  addFolder(state, { name: 'november', parent: folder })
  addItem(state, { name: 'tides.txt', folder })
  addWebhook(state, { url: 'https://shop.example.com/hook', problem: 'status 500', failingSince: nowSeconds() })
  state.links = {
    help: null,
    terms: 'https://example.com/',
    privacy: 'https://example.com/',
    contact: 'https://example.com/',
  }
  const site = addSite(state, picture)
  const orders = addOrders(state, bytes)
  state.payments.set(ADDRESS, {
    address: ADDRESS,
    blockchain: 'Nativecoin',
    ids: [picture],
    state: 'open',
    amount: 36_284_110n,
    received: 30_000_000n,
    transactions: [],
    createdAt: nowSeconds(),
    expiresAt: nowSeconds() + 3600,
  })
  return { picture, folder, site, orders }
}

/** An order at each of its steps, begun on another machine. */
function addOrders(state: FakeState, picture: Buffer): Record<Step, string> {
  const orders = { upload: randomUUID(), pay: randomUUID(), write: randomUUID(), done: randomUUID() }
  const film = { name: 'lighthouse.mp4', mimetype: 'video/mp4', bytes: Buffer.alloc(400_000), size: 900_000 }
  addItem(state, { ...film, order: orders.upload, status: '201 Created' })
  addItem(state, { name: 'buoys.txt', order: orders.pay, status: '402 Payment Required' })
  const jetty = { name: 'jetty.jpg', mimetype: 'image/jpeg' }
  // Nobody sees this one, and its length decides how many transactions are written.
  const written = picture.subarray(0, 200_000)
  addItem(state, { ...jetty, bytes: written, order: orders.write, status: '202 Accepted', written: 1 })
  addItem(state, { ...jetty, bytes: picture, order: orders.done })
  addItem(state, { name: 'jetty.txt', order: orders.done })
  return orders
}

/** A site whose third version is a preview. */
function addSite(state: FakeState, item: string): string {
  const id = objectId()
  state.sites.push({
    id,
    name: 'The almanac',
    host: `${id}.storage.localhost`,
    url: 'http://almanac.localhost/',
    version: 2,
    item,
    versions: 2,
    waiting: null,
    createdAt: nowSeconds(),
  })
  const version = {
    ...{ item, name: 'a', blockchain: 'IPFS', size: 9, status: '200 OK', current: null },
    ...{ url: 'http://v.localhost/', createdAt: 1 },
  }
  state.versions.push(
    { ...version, number: 3, note: 'tides', periods: [] },
    { ...version, number: 2, note: null, periods: [{ from: 1, until: null, by: 'Ann' }] },
  )
  return id
}
