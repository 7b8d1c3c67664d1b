import { CAR_TYPE, COMPRESSIBLE, mediaTypeEssence } from '../../contract/media-type.ts'
import { incompressibleSize, literalBrotliLength, storedLength } from '../../protocol/literal-brotli.ts'
import { ApiError } from '../http/api-error.ts'
import type { StorageTarget, Target } from '../types.ts'
import { readSlice } from './byte-source.ts'
import type { ByteSource } from './put-content.ts'

/** A file as an estimate counts it; sizes in bytes. */
export interface EstimatedSize {
  size: number
  mimetype: string
}

/** A file to price. Without its content its compressed size is unknown. */
export interface PricedFile extends EstimatedSize {
  path: string
  source?: ByteSource | undefined
}

export interface CompressOptions {
  /** The service's targets; empty if it does not list them. */
  targets: readonly Target[]
  /** The error to throw if none of the files can be compressed. */
  refusal: ApiError
  signal: AbortSignal | undefined
  /** Called with how many bytes of how many were compressed. */
  onBytes?: ((done: number, total: number) => void) | undefined
}

const PIECE = 1 << 20
/**
 * What each MiB of a website adds to its bytes: a block's CID and length, and its link in the parent node
 * (docs/formats.md).
 */
const LEAF_BYTES = 1 << 20
const LEAF_OVERHEAD = 120

/**
 * Files as an estimate counts them, for a chain on which they fit only when compressed: each has the size of
 * incompressible content that takes as many bytes on the chain. They are compressed here as the service does it, and
 * nothing is sent. `undefined` if the size is unknown before they are stored.
 * @throws {ApiError} `refusal`, with the path, if a file is too large even when compressed
 */
export async function sizesWhenCompressed(
  files: readonly PricedFile[],
  { to, directory }: { to: StorageTarget; directory: boolean },
  options: CompressOptions,
): Promise<(EstimatedSize | undefined)[]> {
  const { targets, refusal, signal, onBytes } = options
  const own = targets.find(({ blockchain }) => blockchain === to)
  if (!own) throw new ApiError({ ...refusal, message: `The service does not store on ${to}.` })
  const { maxIncompressibleBytes: most, maxDataBytes: step = 0 } = own
  const guess = (file: PricedFile) => (COMPRESSIBLE.test(file.mimetype) ? undefined : file)
  const groups = directory ? [files] : files.map((file) => [file])
  const isLarge = (group: readonly PricedFile[]) => sizeOf(group) > most
  const total = groups.filter(isLarge).reduce((sum, group) => sum + sizeOf(group), 0)
  let done = 0
  const sizes: (EstimatedSize | undefined)[] = []
  for (const group of groups) {
    if (!isLarge(group)) {
      sizes.push(...group)
      continue
    }
    const size = sizeOf(group)
    const what = directory ? `The website of ${group.length} files` : (group[0]?.path ?? '')
    if (size > own.maxFileBytes) {
      const why = `it has ${inEnglish(size)} bytes, and at most ${inEnglish(own.maxFileBytes)} are taken there.`
      throw tooLarge(what, why, size, to, options)
    }
    const mostStored = literalBrotliLength(most, step)
    const onPiece = (count: number) => {
      done += count
      onBytes?.(done, total)
    }
    const how = { essence: essenceOf(group, directory), most: mostStored, step }
    const stored = await measured(group, { ...how, signal, onPiece })
    if (stored !== undefined && stored > mostStored) {
      throw tooLarge(what, `compressed it has more than ${inEnglish(mostStored)} bytes.`, size, to, options)
    }
    if (stored !== undefined) sizes.push(...asOne(group, stored, { directory, step }))
    else if (directory || COMPRESSIBLE.test(group[0]?.mimetype ?? '')) sizes.push(...group.map(guess))
    else {
      const why = `it has ${inEnglish(size)} bytes, and what cannot be compressed may have ${inEnglish(most)} there.`
      throw tooLarge(what, why, size, to, options)
    }
  }
  return sizes
}

/** The counted files; the first one carries the stored size of all. */
function asOne(
  group: readonly PricedFile[],
  stored: number,
  { directory, step }: { directory: boolean; step: number },
): EstimatedSize[] {
  const leaves = group.reduce((sum, { size }) => sum + Math.floor(size / LEAF_BYTES), 0)
  // The service decides the order of the files, which affects compression: 2 % more.
  const around = directory ? leaves * LEAF_OVERHEAD + Math.ceil(stored / 50) : 0
  const whole = incompressibleSize(stored, step) + around
  return group.map(({ mimetype }, index) => ({ size: index === 0 ? whole : 0, mimetype }))
}

const sizeOf = (group: readonly PricedFile[]) => group.reduce((sum, { size }) => sum + size, 0)
const essenceOf = ([first]: readonly PricedFile[], directory: boolean) =>
  directory ? CAR_TYPE : mediaTypeEssence(first?.mimetype ?? '')
const inEnglish = (count: number) => count.toLocaleString('en')

function tooLarge(what: string, why: string, size: number, to: StorageTarget, { targets, refusal }: CompressOptions) {
  const others = targets.flatMap(({ blockchain, available, maxIncompressibleBytes }) =>
    available && blockchain !== to && size <= maxIncompressibleBytes ? [blockchain] : [],
  )
  const advice = others.length === 0 ? 'Store parts of it.' : `${others.join(' and ')} would take it.`
  const message = `${what} is too large for ${to}: ${why} ${advice} Nothing was sent.`
  return new ApiError({ ...refusal, message, details: { ...refusal.details, targets: others } })
}

/** Compressed sizes by content, because the same files are priced again before payment. */
const known = new WeakMap<ByteSource, Map<string, number | undefined>>()

async function measured(
  group: readonly PricedFile[],
  options: {
    essence: string
    most: number
    step: number
    signal: AbortSignal | undefined
    onPiece(count: number): void
  },
): Promise<number | undefined> {
  const sources = group.flatMap(({ source }) => source ?? [])
  const [first] = sources
  if (!first || sources.length < group.length) return undefined
  const lengths = known.get(first) ?? new Map<string, number | undefined>()
  known.set(first, lengths)
  const { essence, most, step } = options
  const name = JSON.stringify([essence, most, step, group.map(({ path }) => path)])
  const before = lengths.get(name)
  if (before !== undefined) return before
  const size = sizeOf(group)
  const { compressedSize } = await import('../node-files.ts')
  const compressed = await compressedSize({ bytes: piecesOf(sources, options), size, essence, most })
  const stored = compressed === undefined ? undefined : storedLength(compressed, size, step, most)
  lengths.set(name, stored)
  return stored
}

/** The same ranges as for hashing: changes of other ranges could not be detected. */
async function* piecesOf(
  sources: readonly ByteSource[],
  { signal, onPiece }: { signal: AbortSignal | undefined; onPiece(count: number): void },
): AsyncGenerator<Uint8Array> {
  for (const source of sources) {
    for (let start = 0; start < source.size; start += PIECE) {
      signal?.throwIfAborted()
      const bytes = await readSlice(source, start, Math.min(start + PIECE, source.size))
      onPiece(bytes.length)
      yield bytes
    }
  }
}
