import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The colour of each second of the video: whether it has red, green and blue. */
export const COLOURS = ['100', '010', '001', '110', '101', '011', '111', '000']

/**
 * WebM with VP8 of 64 × 36, whose clusters of a second begin with a keyframe; its segment has no length. Made by ffmpeg:
 * eight inputs `-f lavfi -i color=c=<colour>:s=64x36:r=10:d=1` (red, lime, blue, yellow, fuchsia, aqua, white, black), then `-filter_complex concat=n=8:v=1 -c:v libvpx -g 10 -b:v 20k
 * -cluster_time_limit 1000 -live 1 -bitexact -fflags +bitexact`.
 */
const FILE = new URL('../browsers/fixtures/colours.webm', import.meta.url)

/** The ids of Matroska (RFC 9559): a cluster, and bytes that players skip. */
const CLUSTER = Buffer.from('1f43b675', 'hex')
const VOID = 0xec

/** The video with so many bytes that mean nothing before each second, and where each second begins. */
export function colourVideo(padding: number): { bytes: Buffer; starts: number[] } {
  const file = readFileSync(FILE)
  const parts: Buffer[] = []
  const starts: number[] = []
  let length = 0
  let from = 0
  for (let at = file.indexOf(CLUSTER); at >= 0; at = file.indexOf(CLUSTER, at + 1)) {
    const head = Buffer.alloc(9)
    head.writeBigUInt64BE((1n << 56n) | BigInt(padding), 1)
    head[0] = VOID
    const before = [file.subarray(from, at), head, randomBytes(padding)]
    parts.push(...before)
    length = before.reduce((sum, part) => sum + part.length, length)
    starts.push(length)
    from = at
  }
  return { bytes: Buffer.concat([...parts, file.subarray(from)]), starts }
}
