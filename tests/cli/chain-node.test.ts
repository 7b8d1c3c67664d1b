import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { toHex } from '../../protocol/bytes.ts'
import { encodeContentIndex } from '../../protocol/content-index.ts'
import { carOf } from '../kit/car-of.ts'
import { MWEB_ONLY, withFlag } from '../kit/with-flag.ts'
import hogEx from '../protocol/fixtures/litecoin-hogex.json' with { type: 'json' }
import { chainContent, dataTransaction } from '../reader/chain-server.ts'
import { ApiServer } from './api-server.ts'
import { User } from './run-hookline.ts'

const FILES = { 'index.html': '<h1>home</h1>', 'guide/style.css': 'p {}' }
const NOBODY = 'http://127.0.0.1:1'

/** A node with these transactions, and a user who knows of no service. */
async function start(
  transactions: readonly { txid: string; bytes: Uint8Array }[],
  missing = 'No such mempool or blockchain transaction.',
) {
  const known = new Map(transactions.map(({ txid, bytes }) => [txid, toHex(bytes)]))
  const node = await ApiServer.start([
    [
      'POST',
      /^\/$/,
      ({ headers, body }) => {
        if (headers.authorization !== `Basic ${btoa('user:secret')}`) return { status: 401 }
        const calls: { id: number; params: [string, number] }[] = JSON.parse(body)
        const answers = calls.map(({ id, params: [txid] }) => {
          const result = known.get(txid) ?? null
          return { id, result, error: result === null ? { code: -5, message: missing } : null }
        })
        return { json: answers }
      },
    ],
  ])
  const HOOKLINE_NODE = node.url.replace('http://', 'http://user:secret@')
  return { node, user: new User(NOBODY, { HOOKLINE_KEY: '', HOOKLINE_NODE }) }
}

const txidsOf = (transactions: readonly { txid: string }[]) => transactions.map(({ txid }) => txid).join()

/** The transactions of content and of its index; the txid of the index is the first. */
function indexed(content: Uint8Array, type: string) {
  const parts = chainContent(brotliCompressSync(content), 40)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const says = { type, size: content.length, sha256, encoding: 'br' as const, parts: parts.map(({ txid }) => txid) }
  const index = dataTransaction(encodeContentIndex(says))
  return { txid: index.txid, transactions: [index, ...parts] }
}

it('get reads from a node alone: a list of txids, the one txid of an index, and a folder of a website', async () => {
  const letter = new TextEncoder().encode('A letter that no service knows of. '.repeat(20))
  const page = indexed(letter, 'text/plain')
  const site = indexed(await carOf(FILES), 'application/vnd.ipld.car')
  const { user } = await start([...page.transactions, ...site.transactions])
  const node = ['--chain', 'nativecoin']
  const text = new TextDecoder().decode(letter)
  expect(await user.run(['get', page.txid, ...node])).toMatchObject({ code: 0, stdout: text })
  expect(await user.run(['get', txidsOf(page.transactions.slice(1)), ...node])).toMatchObject({ code: 0, stdout: text })
  const ran = await user.run(['get', site.txid, '-o', 'site', ...node])
  expect(ran.code, ran.stderr).toBe(0)
  for (const [path, text] of Object.entries(FILES)) expect(readFileSync(user.path('site', path), 'utf8')).toBe(text)
})

it('get signs in to a node by its cookie', async () => {
  const { txid, transactions } = indexed(new TextEncoder().encode('a letter'), 'text/plain')
  const { node, user } = await start(transactions)
  user.write('.cookie', 'user:secret\n')
  const env = { HOOKLINE_NODE: node.url }
  const read = ['get', txid, '--chain', 'nativecoin']
  expect(await user.run([...read, '--node-cookie', user.path('.cookie')], { env })).toMatchObject({
    code: 0,
    stdout: 'a letter',
  })
  const refused = await user.run(read, { env })
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain('refuses these credentials')
  user.write('.cookie', '')
  expect(await user.run([...read, '--node-cookie', user.path('.cookie')], { env })).toMatchObject({ code: 2 })
})

it('get says what a node lacks, never its password, and needs the chain and an address', async () => {
  const { user } = await start([])
  const missing = await user.run(['get', 'ab'.repeat(32), '--chain', 'nativecoin'])
  expect(missing.stderr).toContain('No such transaction')
  expect((await user.run(['get', 'ab'.repeat(32)])).code).toBe(2)
  for (const HOOKLINE_NODE of ['a node', 'file:///etc/passwd', 'http://user:secret@']) {
    const ran = await user.run(['get', 'ab'.repeat(32), '--chain', 'nativecoin'], { env: { HOOKLINE_NODE } })
    expect(ran.code).toBe(2)
    expect(ran.stderr).not.toContain('secret')
  }
})

it.each([
  [
    'No such mempool transaction. Blockchain transactions are still in the process of being indexed. Use gettransaction for wallet transactions.',
    'The node still indexes its transactions, so it could not be asked.',
  ],
  [
    'No such mempool transaction. Use -txindex to enable blockchain transaction queries. Use gettransaction for wallet transactions.',
    'start it with -txindex',
  ],
  [
    'No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries. Use gettransaction for wallet transactions.',
    'start it with -txindex',
  ],
  ['No information available about transaction', 'The node answered for abab'],
])('get may be run again with a node that answers "%s"', async (message, says) => {
  const { user } = await start([], message)
  const ran = await user.run(['get', 'ab'.repeat(32), '--chain', 'nativecoin'])
  expect(ran.code).toBe(7)
  expect(ran.stderr).toContain(says)
  expect(ran.stderr).not.toContain('No such transaction')
})

it('get says that a transaction of another flag holds no data, and reads one that does, among others', async () => {
  const flagged = { txid: hogEx.txid, bytes: Buffer.from(hogEx.raw, 'hex') }
  const extension = { txid: 'cd'.repeat(32), bytes: Buffer.from(MWEB_ONLY, 'hex') }
  const [first, second] = [dataTransaction(Uint8Array.of(0x61)), dataTransaction(Uint8Array.of(0x62))]
  const extended = Buffer.from(withFlag(toHex(first.bytes), 8, new Uint8Array(50)), 'hex')
  const { user } = await start([flagged, extension, { ...first, bytes: extended }, second])
  for (const { txid } of [flagged, extension]) {
    const ran = await user.run(['get', txid, '--chain', 'nativecoin'])
    expect(ran.code).toBe(5)
    expect(ran.stderr).toContain('No such transaction with data')
  }
  const ran = await user.run(['get', `${first.txid},${second.txid}`, '--chain', 'nativecoin'])
  expect(ran).toMatchObject({ code: 0, stdout: 'ab' })
})

it('get refuses what a node gives in place of the transaction', async () => {
  const [right, wrong] = [dataTransaction(Uint8Array.of(1)), dataTransaction(Uint8Array.of(2))]
  const { user } = await start([{ txid: right.txid, bytes: wrong.bytes }])
  const ran = await user.run(['get', right.txid, '--chain', 'nativecoin'])
  expect(ran).toMatchObject({ stdout: '' })
  expect(ran.code).not.toBe(0)
})
