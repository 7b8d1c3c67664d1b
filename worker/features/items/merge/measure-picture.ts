import { mediaKind } from '../../../../client-hook/media-type.ts'
import { mediaTypeEssence } from '../../../../contract/media-type.ts'
import { chunkKey } from '../sql/item-objects.ts'
import type { Item } from '../sql/items.ts'

/** Bytes of a picture in which its size is looked for: that of a photo may stand behind 64 KiB of Exif and a preview. */
const HEAD_BYTES = 256 * 1024
/** What an attribute of HTML may say: larger ones are of no picture that a browser shows. */
const MAX_PIXELS = 65_535

/** The size of a picture as a browser shows it, in CSS pixels. */
export interface PictureSize {
  width: number
  height: number
}

/** The size of an upload that is a picture; `undefined` of everything else, and where its beginning does not say it. */
export async function measurePicture(bucket: R2Bucket, item: Item): Promise<PictureSize | undefined> {
  if (item.kind === 'car' || item.chunks === 0 || mediaKind(mediaTypeEssence(item.mimetype)) !== 'image')
    return undefined
  const head = await bucket.get(chunkKey(item.id, 0), { range: { offset: 0, length: HEAD_BYTES } })
  return head ? await readPictureSize(new Uint8Array(await head.arrayBuffer())) : undefined
}

/** The size that the beginning of a picture says, turned as its Exif orientation says; `undefined` where it says none. */
export async function readPictureSize(head: Uint8Array): Promise<PictureSize | undefined> {
  const { imageSize } = await import('image-size')
  try {
    const { width, height, orientation = 1 } = imageSize(head)
    const size = orientation > 4 ? { width: height, height: width } : { width, height }
    return isPixels(size.width) && isPixels(size.height) ? size : undefined
  } catch {
    // Of no format that it knows, or cut off before the size.
    return undefined
  }
}

function isPixels(length: number): boolean {
  return Number.isInteger(length) && length > 0 && length <= MAX_PIXELS
}
