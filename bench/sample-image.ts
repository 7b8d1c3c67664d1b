import { crc32, deflateSync } from 'node:zlib'
import { randomBytes } from './sample-bytes.ts'

/** A PNG (W3C PNG, third edition) of `side` × `side` noise, some 3 bytes a pixel; the same for the same seed. */
export function samplePng(side: number, seed: string): Uint8Array {
  const pixels = randomBytes(side * (3 * side + 1), seed)
  for (let line = 0; line < side; line++) pixels[line * (3 * side + 1)] = 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(4 + named.length + 4)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(crc32(named), 4 + named.length)
  return framed
}
