import { CarReader } from '@ipld/car/reader'
import { CID } from 'multiformats/cid'
import { readCorpus } from '../tests/kit/read-corpus.ts'
import { BLOCK_PREFIX, blockName } from '../worker/content/ipfs/blocks/block-key.ts'
import type { Product } from './start-product.ts'

/** The formats in which a bomb is requested; directories are listed, and values shown, for clients that accept HTML. */
const FORMS: readonly { form: string; headers?: Record<string, string>; name?: string }[] = [
  { form: '', headers: { Accept: 'text/html', 'Accept-Encoding': 'br' }, name: ' as HTML' },
  { form: '' },
  { form: '?format=car' },
  { form: '?format=car&dag-scope=entity' },
  { form: '?format=car&car-dups=y' },
  { form: '?format=tar' },
]

/** A request that is designed to be expensive. */
export interface Bomb {
  /** The file of the corpus with its blocks, and the requested format. */
  name: string
  path: string
  headers: Record<string, string>
}

/**
 * Stores the blocks of every bomb in the fuzzer's corpus where the gateway finds them; returns the requests in every
 * format.
 */
export async function storeBombs({ miniflare }: Pick<Product, 'miniflare'>): Promise<Bomb[]> {
  const bucket = await miniflare.getR2Bucket('BUCKET')
  const bombs: Bomb[] = []
  for (const { name, bytes } of readCorpus('dag')) {
    if (!name.startsWith('bomb-')) continue
    const car = await CarReader.fromBytes(bytes)
    for await (const block of car.blocks()) {
      const cid = CID.asCID(block.cid)
      if (cid) await bucket.put(BLOCK_PREFIX + blockName(cid), block.bytes)
    }
    const [root] = await car.getRoots()
    for (const { form, headers = {}, name: what = form } of FORMS) {
      bombs.push({ name: `${name}${what}`, path: `/ipfs/${root}${form}`, headers })
    }
  }
  return bombs
}
