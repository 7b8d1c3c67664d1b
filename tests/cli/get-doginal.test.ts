import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { writeDoginalFrom } from '../../devnet/others/transactions-of-others.ts'
import { concatBytes } from '../../protocol/bytes.ts'
import { encodeTransaction, reverseHex, txidBytes } from '../../protocol/transaction.ts'
import { branchAt, treeLevels } from '../../reader/proof/merkle-tree.ts'
import { makeProof } from '../reader/proof/make-proof.ts'
import { ApiServer } from './api-server.ts'
import { User } from './run-hookline.ts'

const COIN = { txid: 'c0'.repeat(32), vout: 0, amount: 100_000_000n, script: Uint8Array.of(0x51) }
const BODY = Buffer.from('much doge')
const DOGINAL = writeDoginalFrom(COIN, { type: 'text/plain', body: BODY, partBytes: 3, partsEach: 1 })
const RAW = DOGINAL.transactions.map((transaction) => encodeTransaction(transaction))
const NAME = `${DOGINAL.name.slice(0, 64)}i0`
const GET = ['get', NAME, '--chain', 'dogecoin', '-o', 'doge.txt']
/** Of the checkpoint; the doginal is in block 0. */
const HEIGHT = 255
const PINNED = ['--checkpoint', 'pinned.json']

/** A service that has found the later transactions, in the one block of a chain, and a user with its checkpoint. */
async function start() {
  const [block] = makeProof(RAW.slice(1)).blocks
  if (!block) throw new Error('there is no block')
  const others = Array.from({ length: HEIGHT }, (_, index) => new Uint8Array(32).fill(index))
  const levels = treeLevels([txidBytes(block.hash), ...others])
  const branch = branchAt(levels, 0).map(reverseHex)
  const proof = { blocks: [{ ...block, height: 0, checkpoint: { height: HEIGHT, branch } }] }
  const tx = new RegExp(`^/v0/tx/Dogecoin/${NAME.slice(0, 64)}\\?any=1`)
  const later = DOGINAL.name.slice(65, -2).replaceAll('+', ',')
  const api = await ApiServer.start([
    ['GET', tx, ({ path }) => ({ bytes: concatBytes(path.endsWith('&parts=1') ? RAW : RAW.slice(0, 1)) })],
    ['GET', new RegExp(`^/v0/tx/Dogecoin/${later}`), () => ({ bytes: concatBytes(RAW.slice(1)) })],
    ['GET', new RegExp(`^/v0/tx/Dogecoin/${NAME.slice(0, 64)},${later}\\?any=1`), () => ({ bytes: concatBytes(RAW) })],
    ['GET', /^\/v0\/proof\/Dogecoin\//, () => ({ json: proof })],
    ['GET', /^\/v0\/tx\//, () => ({ status: 404 })],
  ])
  const user = new User(api.url, { HOOKLINE_KEY: '' })
  const root = reverseHex(levels.at(-1)?.[0] ?? new Uint8Array(0))
  const pinned = { height: HEIGHT, root, bits: 0x207fffff, time: 1_700_000_000 }
  user.write('pinned.json', JSON.stringify({ Dogecoin: pinned }))
  user.write('forked.json', JSON.stringify({ Dogecoin: { ...pinned, root: '0'.repeat(64) } }))
  user.write('other.json', JSON.stringify({ Bitcoin: pinned }))
  return { api, user }
}

it('get reads a doginal by its first transaction where --checkpoint proves the later ones, and verify compares it', async () => {
  const { user } = await start()
  const ran = await user.run([...GET, ...PINNED])
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  expect(readFileSync(user.path('doge.txt'))).toEqual(BODY)
  const verified = await user.run(['verify', 'doge.txt', NAME, '--chain', 'dogecoin', ...PINNED])
  expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining('same') })
})

it('get writes nothing of a doginal without a checkpoint, or where that of another chain is pinned', async () => {
  const { user, api } = await start()
  const without = await user.run(GET)
  expect(without.code).not.toBe(0)
  expect(without.stderr).toContain('hookline find')
  expect(api.paths.filter((path) => path.includes('parts=1'))).toEqual([])
  const forked = await user.run([...GET, '--checkpoint', 'forked.json'])
  expect(forked).toMatchObject({ code: 6, stderr: expect.stringContaining('is not block 0') })
  expect(existsSync(user.path('doge.txt'))).toBe(false)
})

it('get asks nobody where the file of --checkpoint has none of Dogecoin', async () => {
  const { user, api } = await start()
  const ran = await user.run([...GET, '--checkpoint', 'other.json'])
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('no checkpoint of Dogecoin.') })
  expect(api.seen).toEqual([])
})
