import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { CID } from 'multiformats/cid'
import { formatAmount } from '../protocol/amount.ts'
import { type Blockchain, CHAINS } from '../protocol/chains.ts'
import { BLOCK_PREFIX, blockName } from '../worker/content/ipfs/blocks/block-key.ts'
import { addDirectory } from '../worker/content/ipfs/dag/add-file.ts'
import { callNode, fieldOf, readCoins } from './samples/call-node.ts'
import { type OthersSamples, storeOthers } from './samples/store-others.ts'
import { writeWhole } from './write-whole.ts'

const EXAMPLES = new URL('../examples/', import.meta.url)
/** Bytes of a transaction around its data: one input, change, a segwit or legacy signature. */
const OVERHEAD_BYTES = 300n

/** The names of what the sample page shows. */
export interface Samples {
  picture: string[]
  letter: string[]
  page: string[]
  site: string
  others: OthersSamples
}

export interface StoreOptions {
  /** File of the names of the samples. */
  folder: string
  /** Opens the Worker's block store, and closes it again. */
  openBucket: () => Promise<{ bucket: { put(key: string, bytes: Uint8Array): Promise<unknown> }; close(): unknown }>
  rpcUrl: (blockchain: Blockchain) => string
  onProgress: (text: string) => void
}

/** Stores what the sample page shows, through the chains' RPC and the Worker's own block store, the first time. */
export async function storeSamples(options: StoreOptions): Promise<Samples> {
  const record = join(options.folder, 'samples.json')
  const known = await readFile(record, 'utf8').catch(() => undefined)
  const found: Omit<Samples, 'others'> & Partial<Samples> =
    known === undefined ? await storeOwn(options) : JSON.parse(known)
  // A state of an earlier version has not what others wrote.
  const samples = { ...found, others: found.others ?? (await storeOthers(options)) }
  if (!found.others) await writeWhole(record, JSON.stringify(samples))
  return samples
}

async function storeOwn(options: StoreOptions): Promise<Omit<Samples, 'others'>> {
  const store = async (blockchain: Blockchain, file: string): Promise<string[]> => {
    options.onProgress(`storing examples/${file} on ${blockchain}`)
    return await storeOnChain(options.rpcUrl(blockchain), blockchain, await readFile(new URL(file, EXAMPLES)))
  }
  return {
    picture: await store('Nativecoin', 'picture.jpg'),
    letter: await store('Bitcoin', 'letter.txt'),
    page: await store('Dogecoin', 'dogecoin-page.html'),
    site: await storeSite(options),
  }
}

async function storeSite({ openBucket, onProgress }: StoreOptions): Promise<string> {
  onProgress('storing examples/site on IPFS')
  const { bucket, close } = await openBucket()
  const names = (await readdir(new URL('site/', EXAMPLES))).sort()
  const files = async function* () {
    for (const path of names) {
      const bytes = await readFile(new URL(`site/${path}`, EXAMPLES))
      yield {
        path,
        content: (async function* () {
          yield Uint8Array.from(bytes)
        })(),
      }
    }
  }
  const sink = {
    async put(cid: CID, bytes: Uint8Array): Promise<CID> {
      await bucket.put(BLOCK_PREFIX + blockName(cid), bytes)
      return cid
    },
  }
  const { cid } = await addDirectory(sink, files())
  await close()
  return cid.toString()
}

async function storeOnChain(url: string, blockchain: Blockchain, bytes: Uint8Array): Promise<string[]> {
  const stored = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
  const { maxDataBytes, fallbackFeeRate, segwit } = CHAINS[blockchain]
  const coins = readCoins(await callNode(url, 'listunspent', [1]))
  const txids: string[] = []
  for (let start = 0; start < stored.length; start += maxDataBytes) {
    const data = stored.subarray(start, start + maxDataBytes)
    const coin = coins.pop()
    if (!coin) throw new Error(`The wallet of ${blockchain} has no coins left for the samples.`)
    const fee = (fallbackFeeRate * (BigInt(data.length) + OVERHEAD_BYTES)) / 1000n
    const outputs = { data: data.toString('hex'), [coin.address]: formatAmount(coin.amount - fee) }
    const raw = await callNode(url, 'createrawtransaction', [[{ txid: coin.txid, vout: coin.vout }], outputs])
    const signed = await callNode(url, segwit ? 'signrawtransactionwithwallet' : 'signrawtransaction', [raw])
    const txid = String(await callNode(url, 'sendrawtransaction', [fieldOf(signed, 'hex')]))
    txids.push(txid)
    // Its change waits behind the coins that are confirmed, so that no chain of unconfirmed ones gets long.
    coins.unshift({ ...coin, txid, vout: 1, amount: coin.amount - fee })
  }
  return txids
}
