import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { CID } from 'multiformats/cid'
import { concatBytes, toHex } from '../../../protocol/bytes.ts'
import { encodeContentIndex, MAX_INDEX_PARTS } from '../../../protocol/content-index.ts'
import { SITE_HEADER_BYTES, siteRoot } from '../../../protocol/site-root.ts'
import { readIndexed } from '../../../reader/chain/read-index.ts'
import { blockHashes } from '../../../reader/ipfs/block-hashes.ts'
import { IPFS_LIMITS } from '../../../reader/ipfs/ipfs-limits.ts'
import { verifiedCar } from '../../../reader/ipfs/verified-car.ts'
import { ReaderError } from '../../../reader/reader-error.ts'
import { isSite } from '../../../worker/content/site/is-site.ts'
import { carOf } from '../../kit/car-of.ts'
import { mutate, type Random, seededRandom } from '../mutate.ts'
import '../platform.ts'

/*
 * Reads altered CARs and indexes as the Worker and the other readers do, and prints the highest costs: CPU in milliseconds,
 * MiB of memory. `mutants <count> <seed>`: so many of each kind; `bomb <n>`: one that is made to be dear. A program of its
 * own: nothing else is in its memory.
 */
const [mode, ...rest] = process.argv.slice(2)
const [first = 0, seed = 29] = rest.map(Number)
/** The longest content that readers take. */
const MOST = 32 << 20
const MIB = 2 ** 20
/** What the Worker reads of content at a time. */
const PART_BYTES = 512 << 10
const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest())
const hashes = blockHashes(sha256)

type Read = (bytes: Uint8Array) => Promise<unknown>

/** Reads content as a website, where it begins like one: as the Worker does, and as library and page helper do. */
const readers: Record<'worker' | 'reader', Read> = {
  async worker(car) {
    const root = siteRoot(car)
    async function* read() {
      for (let at = 0; at < car.length; at += PART_BYTES) yield car.slice(at, at + PART_BYTES)
    }
    if (root) await isSite(read, CID.decode(root), MOST)
  },
  async reader(car) {
    if (siteRoot(car)) await verifiedCar(car, hashes, IPFS_LIMITS.maxBlockBytes)
  },
}

/** What every transaction holds that an index names. */
const PART = Uint8Array.from('some of it', (sign) => sign.charCodeAt(0))

async function readIndex(data: Uint8Array): Promise<void> {
  const decode = async (bytes: Uint8Array, maxOutputLength: number) => {
    try {
      return new Uint8Array(brotliDecompressSync(bytes, { maxOutputLength }))
    } catch {
      return undefined
    }
  }
  try {
    await readIndexed(data, {
      read: async (txids) => concatBytes(txids.map(() => PART)),
      sha256: async (bytes) => sha256(bytes),
      decode,
      maxBytes: MOST,
    })
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error
  }
}

/** CPU of a reading in milliseconds, and the MiB that it allocated and that were not collected meanwhile. */
async function costOf(read: () => Promise<unknown>): Promise<{ cpuMs: number; mib: number }> {
  const held = () => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = held()
  const begun = process.cpuUsage()
  await read()
  const { user, system } = process.cpuUsage(begun)
  return { cpuMs: (user + system) / 1000, mib: (held() - before) / MIB }
}

async function dearest(inputs: Iterable<Uint8Array>, read: Read) {
  const most = { cpuMs: 0, mib: 0 }
  for (const bytes of inputs) {
    const { cpuMs, mib } = await costOf(() => read(bytes))
    most.cpuMs = Math.max(most.cpuMs, cpuMs)
    most.mib = Math.max(most.mib, mib)
  }
  return most
}

function* altered(inputs: readonly Uint8Array[], random: Random): Generator<Uint8Array> {
  const pick = () => inputs[random(inputs.length)] ?? new Uint8Array(0)
  const words = ['\u0001U\u0012 ', '\u0001p\u0012 ', '\u0000'].map((word) => new TextEncoder().encode(word))
  for (let count = 0; count < first; count++) yield mutate(pick(), pick(), words, random)
}

const files = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`folder ${n % 7}/${n}.txt`, `${n} `.repeat(length)]))
const cars = [await carOf(files(3, 10)), await carOf(files(200, 20)), await carOf(files(8, 1_000))]

/**
 * A CAR of the longest content that has as many sections as fit, each the same: one of an empty block behind its CID, one of an
 * inlined block, one without a CID, and the beginning of one that is longer than all.
 */
function bomb(n: number): Uint8Array {
  const emptyBlock = concatBytes([Uint8Array.of(36, 1, 0x55, 0x12, 0x20), sha256(new Uint8Array(0))])
  const kinds = [emptyBlock, Uint8Array.of(4, 1, 0x55, 0, 0), Uint8Array.of(0), Uint8Array.of(0xff, 0xff, 0x7f)]
  const section = kinds[n] ?? new Uint8Array(1)
  const car = new Uint8Array(MOST)
  const header = cars[0]?.subarray(0, SITE_HEADER_BYTES) ?? new Uint8Array(0)
  car.set(header)
  const sections = Math.floor((MOST - header.length) / section.length)
  Buffer.from(car.buffer, header.length, sections * section.length).fill(section)
  return car
}

const index = (parts: number) =>
  encodeContentIndex({
    type: 'text/html',
    size: parts * PART.length,
    sha256: toHex(sha256(concatBytes(Array(parts).fill(PART)))),
    encoding: 'identity',
    parts: Array.from({ length: parts }, (_, n) => n.toString(16).padStart(64, '0')),
  })
const indexes = [index(1), index(2), index(170), index(1_800)]

// What is compiled and loaded at the first of them is no part of what one costs.
for (const read of Object.values(readers)) for (const car of cars) await read(car)
for (const one of indexes) await readIndex(one)

if (mode === 'bomb') {
  const car = bomb(first)
  const read = rest[1] === 'worker' ? readers.worker : readers.reader
  const before = process.resourceUsage().maxRSS
  const costs = [await costOf(() => read(car))]
  const mib = (process.resourceUsage().maxRSS - before) / 1024
  while (costs.length < 3) costs.push(await costOf(() => read(car)))
  // Other load of the machine is counted too: the least of three is the cost.
  console.log(JSON.stringify({ cpuMs: Math.min(...costs.map(({ cpuMs }) => cpuMs)), mib }))
} else {
  const random = seededRandom(seed)
  const cost = {
    worker: await dearest(altered(cars, random), readers.worker),
    reader: await dearest(altered(cars, random), readers.reader),
    indexes: await dearest(altered(indexes, random), readIndex),
    longest: await dearest([index(MAX_INDEX_PARTS)], readIndex),
  }
  console.log(JSON.stringify(cost))
}
