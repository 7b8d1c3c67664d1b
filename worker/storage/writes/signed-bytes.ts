import { concatBytes, toHex } from '../../../protocol/bytes.ts'
import type { Blockchain } from '../../../protocol/chains.ts'
import { objectId } from '../../items/object-id.ts'

/** R2: signed transactions, several in one object, from before they are sent until no reorganisation reaches them. */
const PREFIX = 'writer/'

/** What the R2 keys of a chain's signed transactions begin with. */
export function signedPrefix(blockchain: Blockchain): string {
  return `${PREFIX}${blockchain}/`
}

/**
 * Keeps signed transactions and says where each lies: under a name never used before, so that a sweep of what an
 * earlier try left behind can't meet it.
 */
export async function putSigned(
  bucket: R2Bucket,
  blockchain: Blockchain,
  signed: readonly { bytes: Uint8Array }[],
  now: number,
): Promise<{ bundle: string; offsets: number[] }> {
  const bundle = signedPrefix(blockchain) + objectId(now)
  const offsets: number[] = []
  let length = 0
  for (const { bytes } of signed) {
    offsets.push(length)
    length += bytes.length
  }
  await bucket.put(bundle, concatBytes(signed.map(({ bytes }) => bytes)))
  return { bundle, offsets }
}

/** Where a signed transaction lies. */
export interface SignedPlace {
  bundle: string
  offset: number
  length: number
}

/** Hex of signed transactions, each object read once. @throws {Error} when one is not there any more. */
export async function getSigned(bucket: R2Bucket, places: readonly SignedPlace[]): Promise<string[]> {
  const bundles = new Map<string, Uint8Array>()
  for (const { bundle } of places) {
    if (bundles.has(bundle)) continue
    const object = await bucket.get(bundle)
    if (!object) throw new Error(`The signed transactions ${bundle} are gone`)
    bundles.set(bundle, new Uint8Array(await object.arrayBuffer()))
  }
  return places.map(({ bundle, offset, length }) => {
    const bytes = bundles.get(bundle)?.subarray(offset, offset + length)
    if (bytes?.length !== length) throw new Error(`The signed transactions ${bundle} are cut short`)
    return toHex(bytes)
  })
}
