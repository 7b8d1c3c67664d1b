import { env } from 'cloudflare:test'
import { exports } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  commitTo,
  type EnvelopeFields,
  input,
  transactionOf,
  writeEnvelope,
} from '../../../devnet/others/write-inscription.ts'
import { toHex } from '../../../protocol/bytes.ts'
import { encodeTransaction, type Transaction, transactionId } from '../../../protocol/transaction.ts'
import { doubleSha256 } from '../../../worker/chain/rpc/double-sha256.ts'
import { parseDeniedValue } from '../../../worker/content/denylist/denied-value.ts'
import { expireDenylist } from '../../../worker/content/denylist/denylist.ts'
import { insertDenied } from '../../../worker/features/reports/sql/deny.ts'
import { code } from '../content/chain/retrieval/ask.ts'
import { useScriptedNodes } from '../scripted-node.ts'

const POLICY =
  "sandbox allow-scripts; default-src https://bitcoin.storage.example/content/ https://bitcoin.storage.example/r/ https://bitcoin.storage.example/blockheight https://bitcoin.storage.example/blockhash https://bitcoin.storage.example/blockhash/ https://bitcoin.storage.example/blocktime 'unsafe-inline' 'unsafe-eval' data: blob:; form-action 'none'; base-uri 'none'"
/** A header of the time 1,800,000,000, and its hash. */
const HEADER = new Uint8Array(80)
new DataView(HEADER.buffer).setUint32(68, 1_800_000_000, true)
const HASH = toHex(doubleSha256(HEADER).reverse())
const HEIGHT = 840_000

const nodes = useScriptedNodes()
const node = nodes['bitcoin-a.test']
const get = (path: string, init?: RequestInit) => exports.default.fetch(`https://bitcoin.storage.example${path}`, init)

beforeEach(() => {
  node.methods.set('getblockchaininfo', () => ({ blocks: HEIGHT, headers: HEIGHT, bestblockhash: HASH }))
  node.methods.set('getblockhash', () => HASH)
  node.methods.set('getblockheader', (_, described) => (described ? { height: HEIGHT } : toHex(HEADER)))
  node.methods.set('getrawtransaction', (txid, described) => {
    const hex = node.transactions.get(String(txid))
    return hex !== undefined && described === true ? { hex, blockhash: HASH, confirmations: 1 } : undefined
  })
})

function give(transaction: Transaction): string {
  const txid = transactionId(encodeTransaction(transaction, { witness: false }))
  node.transactions.set(txid, toHex(encodeTransaction(transaction)))
  return txid
}

function inscribe(fields: EnvelopeFields): string {
  const script = writeEnvelope(fields)
  const { output, controlBlock } = commitTo(script)
  const spent = { txid: crypto.randomUUID().replaceAll('-', '').repeat(2), vout: 0 }
  const commit = give(transactionOf([input(spent)], [output]))
  return give(transactionOf([input({ txid: commit, vout: 0 }, { witness: [script, controlBlock] })]))
}

describe('the host of a chain', () => {
  it('has one policy, and is open to every origin, on content and on errors', async () => {
    const id = `${inscribe({ type: 'text/html', body: '<p>inscribed</p>' })}i0`
    for (const [path, status] of [
      [`/content/${id}`, 200],
      [`/content/${'ef'.repeat(32)}i9`, 404],
      ['/', 404],
      ['/r/blockheight', 200],
    ] as const) {
      const response = await get(path)
      expect([path, response.status]).toEqual([path, status])
      expect(response.headers.get('Content-Security-Policy')).toBe(POLICY)
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    }
    const again = await get(`/content/${id}`)
    expect([again.headers.get('Server-Timing'), again.headers.get('Content-Security-Policy')]).toEqual([
      expect.stringContaining('memory'),
      POLICY,
    ])
    expect(await again.text()).toBe('<p>inscribed</p>')
  })

  it('refuses the script of a service worker, and methods that change something', async () => {
    const id = `${inscribe({ type: 'text/javascript', body: 'onfetch = null' })}i0`
    const worker = await get(`/content/${id}`, { headers: { 'Service-Worker': 'script' } })
    expect([worker.status, await code(worker)]).toEqual([403, 'service_worker_scope'])
    expect((await get(`/content/${id}`, { method: 'POST' })).status).toBe(405)
  })

  it('has an inscription with its delegate followed or not', async () => {
    const delegate = { txid: inscribe({ type: 'text/css', body: 'p {}' }), index: 0 }
    const id = `${inscribe({ type: 'text/plain', body: 'of its own', delegate })}i0`
    expect(await (await get(`/content/${id}`)).text()).toBe('p {}')
    const own = await get(`/r/undelegated-content/${id}`)
    expect([own.headers.get('Content-Type'), await own.text()]).toEqual(['text/plain', 'of its own'])
    const bare = await get(`/r/undelegated-content/${inscribe({ delegate })}i0`)
    expect([bare.status, await code(bare)]).toEqual([404, 'no_such_inscription'])
  })

  it('describes an inscription, and its metadata as hex', async () => {
    const delegate = { txid: 'cd'.repeat(32), index: 2 }
    const metadata = Uint8Array.of(0xa1, 1, 2)
    const id = `${inscribe({ type: 'text/plain', body: 'four', delegate, metadata })}i0`
    expect(await (await get(`/r/inscription/${id}`)).json()).toEqual({
      id,
      content_type: 'text/plain',
      content_length: 4,
      delegate: `${'cd'.repeat(32)}i2`,
      height: HEIGHT,
      timestamp: 1_800_000_000,
    })
    expect(await (await get(`/r/metadata/${id}`)).json()).toBe('a10102')
    expect((await get(`/r/metadata/${inscribe({ body: 'x' })}i0`)).status).toBe(404)
  })

  it.each([
    ['/r/blockheight', '840000'],
    ['/blockheight', '840000'],
    ['/r/blocktime', '1800000000'],
    ['/blocktime', '1800000000'],
    ['/r/blockhash', `"${HASH}"`],
    ['/r/blockhash/840000', `"${HASH}"`],
    ['/blockhash', HASH],
    ['/blockhash/840000', HASH],
  ])('answers %s as ord does', async (path, text) => {
    const response = await get(path)
    expect([response.status, await response.text()]).toEqual([200, text])
  })

  it('says what only an index would know', async () => {
    const id = `${inscribe({ body: 'x' })}i0`
    for (const path of [`/r/children/${id}`, `/r/children/${id}/inscriptions/0`, '/r/sat/1', '/r/inscriptions']) {
      const response = await get(path)
      expect([path, response.status, await code(response)]).toEqual([path, 404, 'needs_index'])
    }
    expect(await code(await get('/blockhash/x'))).not.toBe('needs_index')
  })

  it('describes and shows nothing that is denied, from memory neither', async () => {
    const txid = inscribe({ type: 'text/plain', body: 'to be denied' })
    const paths = [`/content/${txid}i0`, `/r/undelegated-content/${txid}i0`, `/r/inscription/${txid}i0`]
    for (const path of paths) expect((await get(path)).status).toBe(200)
    const value = parseDeniedValue('txid', txid)
    await insertDenied(env.DB, { ...value, reason: 'test', deniedBy: 'moderator' }, 1)
    expireDenylist()
    for (const path of paths) expect((await get(path)).status).toBe(451)
  })

  it('is none of a chain of which nothing is read', async () => {
    const nothing = (path: string) => exports.default.fetch(`https://nativecoin.storage.example${path}`)
    expect((await nothing('/blockheight')).status).toBe(404)
    expect((await nothing(`/content/${'ab'.repeat(32)}i0`)).status).toBe(404)
  })
})
