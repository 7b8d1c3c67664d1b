import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPictureSize } from '../../../../worker/features/items/merge/measure-picture.ts'

const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)))

const PNG = bytes(
  [0x89],
  'PNG\r\n',
  [0x1a, 0x0a],
  [0, 0, 0, 13],
  'IHDR',
  [0, 0, 2, 128],
  [0, 0, 1, 104],
  [8, 2, 0, 0, 0],
)
const GIF = bytes('GIF89a', [0x40, 0x01, 0xf0, 0x00], [0x80, 0, 0])
const SVG = bytes('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 180 220"><path d="M0 0"/></svg>')

/** A JPEG of 320 by 200 pixels whose Exif says how it is turned. */
function jpeg(orientation: number): Uint8Array {
  const entry = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
  const tiff = bytes('MM', [0, 42, 0, 0, 0, 8], [0, 1], entry, [0, 0, 0, 0])
  const exif = bytes([0xff, 0xe1, 0, 2 + 6 + tiff.length], 'Exif', [0, 0], [...tiff])
  const frame = [0xff, 0xc0, 0, 17, 8, 0, 200, 1, 64, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]
  return bytes([0xff, 0xd8], [...exif], frame, [0xff, 0xd9])
}

it.each([
  ['a PNG', PNG, { width: 640, height: 360 }],
  ['a GIF', GIF, { width: 320, height: 240 }],
  ['an SVG', SVG, { width: 180, height: 220 }],
  ['a JPEG', jpeg(1), { width: 320, height: 200 }],
  ['a JPEG on its side', jpeg(6), { width: 200, height: 320 }],
])('the beginning of %s says its size', async (_, head, size) => {
  expect(await readPictureSize(head)).toEqual(size)
})

it.each([
  ['text', bytes('no picture')],
  ['a PNG that is cut off', PNG.slice(0, 12)],
  ['a PNG of no width', bytes([...PNG.slice(0, 16)], [0, 0, 0, 0], [...PNG.slice(20)])],
  ['a PNG that is wider than HTML can say', bytes([...PNG.slice(0, 16)], [0xff, 0, 0, 0], [...PNG.slice(20)])],
  ['nothing', bytes()],
])('%s has no size', async (_, head) => {
  expect(await readPictureSize(head)).toBeUndefined()
})

it('whatever bytes there are, a size is two numbers that HTML takes, or there is none', async () => {
  const heads = [PNG, GIF, SVG, jpeg(8)]
  const changed = fc.tuple(fc.constantFrom(...heads), fc.nat(60), fc.uint8Array({ maxLength: 30 }))
  await fc.assert(
    fc.asyncProperty(changed, async ([head, at, put]) => {
      const size = await readPictureSize(bytes([...head.slice(0, at)], [...put], [...head.slice(at + put.length)]))
      if (size) for (const pixels of [size.width, size.height]) expect(pixels > 0 && pixels <= 65_535).toBe(true)
    }),
    { numRuns: 300 },
  )
})
