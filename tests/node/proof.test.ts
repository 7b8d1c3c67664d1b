import { afterAll, beforeAll, expect, it } from 'vitest'
import { fromHex, toHex } from '../../protocol/bytes.ts'
import { readHeader } from '../../reader/proof/block-header.ts'
import { sha256d } from '../../reader/proof/fold-branch.ts'
import { startWorkerOnDaemon, type WorkerOnDaemon } from './worker-on-daemon.ts'

let running: WorkerOnDaemon
beforeAll(async () => {
  running = await startWorkerOnDaemon()
})
afterAll(() => running?.close())

/** What a partial Merkle tree of one transaction says (BIP 37): its position, the hashes beside its path, the root. */
function readPartialTree(bytes: Uint8Array) {
  const count = new DataView(bytes.buffer, bytes.byteOffset).getUint32(80, true)
  const hashCount = bytes[84] ?? 0
  const hashes = Array.from({ length: hashCount }, (_, at) => bytes.slice(85 + 32 * at, 117 + 32 * at))
  const flags = bytes.subarray(85 + 32 * hashCount + 1)
  let bit = 0
  const branch: Uint8Array[] = []
  let found = -1
  const walk = (level: number, index: number): Uint8Array => {
    const isParent = ((flags[bit >> 3] ?? 0) >> (bit & 7)) & 1
    bit++
    if (level === 0 || !isParent) {
      if (level === 0 && isParent) found = index
      return hashes.shift() ?? new Uint8Array(32)
    }
    const before = found
    const left = walk(level - 1, 2 * index)
    const isLeft = found !== before
    const hasRight = 2 * index + 1 < Math.ceil(count / 2 ** (level - 1))
    const right = hasRight ? walk(level - 1, 2 * index + 1) : left
    branch.push(isLeft ? right : left)
    return sha256d(Uint8Array.from([...left, ...right]))
  }
  const root = walk(Math.ceil(Math.log2(count)), 0)
  return { position: found, branch: branch.map(asDisplayed), root: asDisplayed(root) }
}

const asDisplayed = (hash: Uint8Array) => toHex(hash.slice().reverse())

it('a proof has the position and the branch of the proof that a real daemon makes', async () => {
  const { bench, base } = running
  const txids: string[] = []
  for (let count = 0; count < 7; count++)
    txids.push(...(await running.write('Nativecoin', new TextEncoder().encode(`text ${count}`))))
  await bench.mine()
  for (const txid of txids) {
    const bytes = fromHex(String(await bench.call('gettxoutproof', [txid]))) ?? new Uint8Array(0)
    const { root, ...own } = readPartialTree(bytes)
    expect(readHeader(bytes).merkleRoot).toBe(root)
    const response = await fetch(new URL(`/v0/proof/Nativecoin/${txid}`, base))
    expect(await response.json()).toMatchObject({
      blocks: [{ hash: readHeader(bytes).hash, transactions: [{ txid, ...own }] }],
    })
  }
})
