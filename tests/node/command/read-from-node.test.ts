import { createHash } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ParsedLine } from '../../../cli/parse/parse-command-line.ts'
import { chainNode, downloadFromNode } from '../../../cli/read/chain-node.ts'
import { readContent } from '../../../client/read-chain-content.ts'
import { encodeContentIndex } from '../../../protocol/content-index.ts'
import { writeOpReturn } from '../../../protocol/op-return.ts'
import { TestNode } from '../../kit/test-node.ts'
import { type Daemon, startLitecoind } from '../litecoind.ts'

const CONTENT = Uint8Array.from({ length: 150_000 }, (_, at) => (at * at * 2_654_435_761) % 251)

let daemon: Daemon
let bench: TestNode
beforeAll(async () => {
  daemon = await startLitecoind('-acceptnonstdtxn=1', '-datacarriersize=102486')
  bench = new TestNode(daemon.node)
})
afterAll(() => daemon?.stop())

/** Writes bytes with the node's own wallet, in transactions of at most `step`; returns the txids. */
async function write(bytes: Uint8Array, step = 60_000): Promise<string[]> {
  const txids: string[] = []
  for (let start = 0; start < bytes.length; start += step) {
    const data = { value: 0n, script: writeOpReturn(bytes.subarray(start, start + step)) }
    const coin = await bench.coin()
    const change = { value: coin.value - 200_000n, script: coin.script }
    txids.push(await bench.send(await bench.sign([coin], [data, change])))
  }
  return txids
}

async function read(txids: readonly string[]): Promise<Uint8Array> {
  const node = await chainNode({ env: { HOOKLINE_NODE: daemon.url }, line: new ParsedLine(new Map(), []) })
  if (!node) throw new Error('there is no node')
  const download = downloadFromNode(node, { fetch, silence: 30_000 })
  return await readContent({ api: '', download }, { blockchain: 'Nativecoin', txids }, {})
}

it('content is read from a real daemon where no service is: a list, an index, before and behind a block', async () => {
  const parts = await write(brotliCompressSync(CONTENT))
  expect(parts.length).toBeGreaterThan(1)
  const sha256 = createHash('sha256').update(CONTENT).digest('hex')
  const says = { type: 'image/png', size: CONTENT.length, sha256, encoding: 'br' as const, parts }
  const index = await write(encodeContentIndex(says))
  expect(index).toHaveLength(1)
  for (const _ of ['in the mempool', 'in a block']) {
    expect(Buffer.compare(await read(parts), CONTENT)).toBe(0)
    expect(Buffer.compare(await read(index), CONTENT)).toBe(0)
    await bench.mine()
  }
})

it('a transaction that a real daemon has not is missing, alone and among others', async () => {
  const [known = ''] = await write(Uint8Array.of(1, 2, 3))
  for (const txids of [['f'.repeat(64)], [known, 'f'.repeat(64)]]) {
    await expect(read(txids)).rejects.toMatchObject({ code: 'not_found' })
  }
})
