import { CarReader } from '@ipld/car/reader'
import { CID } from 'multiformats/cid'
import { readCorpus } from '../tests/kit/read-corpus.ts'
import { BLOCK_PREFIX, blockName } from '../worker/content/ipfs/blocks/block-key.ts'
import type { Product } from './start-product.ts'

/** The forms in which a bomb is asked for; a directory is listed, and a value shown, to who takes HTML. */
const FORMS: readonly { form: string; headers?: Record<string, string>; name?: string }[] = [
  { form: '', headers: { Accept: 'text/html', 'Accept-Encoding': 'br' }, name: ' as HTML' },
  { form: '' },
  { form: '?format=car' },
  { form: '?format=car&dag-scope=entity' },
  { form: '?format=car&car-dups=y' },
  { form: '?format=tar' },
]

/** A request that is to cost much. */
export interface Bomb {
  /** The file of the corpus that its blocks are from, and the form that is asked for. */
  name: string
  path: string
  headers: Record<string, string>
}

/** Puts the blocks of every bomb of the fuzzer's corpus where the gateway finds them; returns them in every form. */
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
