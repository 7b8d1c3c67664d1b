import { PRESENT_NODES } from '../../devnet/node-settings.ts'
import { readStripped } from '../../protocol/transaction.ts'
import type { Bench } from '../bench.ts'
import type { HttpRequest } from '../load/load-generator.ts'
import { payForItem, readPaidItem } from '../pay-for-item.ts'
import { pairedRow, plainRow, type Row } from '../row.ts'
import { randomBytes } from '../sample-bytes.ts'
import { signIn } from '../sign-in.ts'
import { startCountedDevnet, startProduct } from '../start-product.ts'
import { median } from '../statistics.ts'
import { storeUpload } from '../store-upload.ts'

const GROUP = 'The writer'
const TRANSACTIONS = 1_000
const DATA_BYTES = 80
const BLOCK_MS = 250
const TX_CHAINS = 16
const POLL_MS = 100
const DEADLINE_MS = 90_000

/** Writing a paid item of 1,000 transactions, compared with the node that accepts the same transactions. */
export async function measureWriter(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  if (bench.isSelected('writer/rate')) rows.push(await measureRate(bench))
  if (bench.isSelected('writer/bytes')) rows.push(await measureBytes(bench))
  return rows
}

async function measureRate(bench: Bench): Promise<Row> {
  const pairs: { value: number; limit: number }[] = []
  for (let round = 0; round < 5; round++) {
    bench.progress(`writer: round ${round + 1} of 5`)
    const content = randomBytes(TRANSACTIONS * DATA_BYTES - 10, `writer ${round}`)
    const { perSecond, raw } = await write(bench, 'Bitcoin', content)
    pairs.push({ value: perSecond, limit: await nodeRate(bench, raw) })
  }
  return pairedRow(
    {
      id: 'writer/rate',
      group: GROUP,
      what: 'transactions signed, stored and sent',
      unit: '/s',
      limitWhat: 'sendrawtransaction alone',
      better: 'higher',
      target: 0.5,
      note: `an item of ${TRANSACTIONS.toLocaleString('en-US')} transactions of 80 bytes, from its payment to the last; ${TX_CHAINS} tx_chains and a block each ${BLOCK_MS} ms`,
    },
    pairs,
  )
}

async function measureBytes(bench: Bench): Promise<Row> {
  const large: number[] = []
  for (let round = 0; round < 3; round++) {
    bench.progress(`writer: 1 MB on Nativecoin, round ${round + 1} of 3`)
    const { item, raw } = await write(bench, 'Nativecoin', randomBytes(1_000_000, `large ${round}`))
    const own = new Set(item.txids)
    const bytes = raw.flat().filter((one) => own.has(readStripped(one).txid))
    large.push(bytes.reduce((sum, one) => sum + one.length, 0) / item.storedSize)
  }
  return plainRow(
    {
      id: 'writer/bytes',
      group: GROUP,
      what: 'bytes of transactions for a byte of content',
      unit: '×',
      better: 'lower',
      target: 1.01,
      note: '1 MB on Nativecoin',
    },
    [median(large)],
  )
}

/** Uploads, merges, pays and waits; returns the item, the rate, and every raw transaction of the chain by block. */
async function write(bench: Bench, blockchain: 'Bitcoin' | 'Nativecoin', content: Uint8Array) {
  const devnet = await startCountedDevnet({ settings: PRESENT_NODES })
  const product = await startProduct({
    ...bench,
    devnet,
    variables: { MAX_CONTENT_BYTES: '16777216', WRITER_TX_CHAINS: String(TX_CHAINS) },
  })
  const mining = setInterval(() => devnet.devnet.mineWaiting(), BLOCK_MS)
  try {
    const { accessToken } = await signIn(product)
    const id = await storeUpload(product, accessToken, { blockchain, content, mimetype: 'application/octet-stream' })
    await payForItem(devnet, product, accessToken, blockchain, id)
    // The first signed transaction may be sent before the first poll, so the clock starts when the payment is mined.
    const started = performance.now()
    let written = started
    let item = await readPaidItem(product, accessToken, id)
    while (item.status !== '200 OK') {
      if (performance.now() - started > DEADLINE_MS) throw new Error(`not written in time: ${JSON.stringify(item)}`)
      if (item.written < item.transactions) written = performance.now()
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      item = await readPaidItem(product, accessToken, id)
    }
    const node = devnet.devnet.node(blockchain)
    const raw = node.chain.active.map((block) =>
      block.transactions.filter(({ coinbase }) => !coinbase).map((transaction) => transaction.raw),
    )
    return { item, raw, perSecond: item.transactions / ((written + POLL_MS / 2 - started) / 1000) }
  } finally {
    clearInterval(mining)
    await product.close()
    await devnet.close()
  }
}

/** Transactions a second that a separate node accepts, one `sendrawtransaction` each, in the same order and blocks. */
async function nodeRate(bench: Bench, blocks: readonly Uint8Array[][]): Promise<number> {
  const devnet = await startCountedDevnet({ settings: PRESENT_NODES })
  try {
    let ms = 0
    let count = 0
    for (const block of blocks.filter((one) => one.length > 0)) {
      const requests = block.map((raw) => sendRequest(raw))
      const outcome = await bench.load.sequence({ port: devnet.port, requests, concurrency: 1 })
      ms += outcome.ms
      count += block.length
      devnet.devnet.mineWaiting()
    }
    return count / (ms / 1000)
  } finally {
    await devnet.close()
  }
}

function sendRequest(raw: Uint8Array): HttpRequest {
  const hex = Buffer.from(raw).toString('hex')
  return {
    method: 'POST',
    path: '/Bitcoin',
    headers: { 'Content-Type': 'application/json', Authorization: `Basic ${btoa('devnet:devnet')}` },
    body: JSON.stringify({ id: 1, method: 'sendrawtransaction', params: [hex] }),
  }
}
