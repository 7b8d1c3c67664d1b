import { COMPRESSIBLE } from '../../contract/media-type.ts'
import { incompressibleSize, literalBrotliLength, storedLength } from '../../protocol/literal-brotli.ts'
import type { ChosenFile, Limits } from './chosen-files.ts'

/**
 * An upper bound of what a file or folder adds to a website besides its name: its CID twice, sizes, the node of its
 * folder.
 */
const ENTRY_BYTES = 128
/** The leaves of a file (docs/formats.md); each has an entry if there are several. */
const LEAF_BYTES = 2 ** 20

/** What a chain would store: single files, and each top folder as one file. */
export interface OnChain {
  files: ChosenFile[]
  /** The stored size of each, if known; the compressed one before the target is chosen. */
  stored: number[] | undefined
}

/**
 * The chosen files as a chain stores them if each top folder becomes one website, with its largest possible size.
 * @param stored The compressed size of each file by itself, if known.
 */
export function asWebsites(files: readonly ChosenFile[], stored: readonly number[] | undefined): OnChain {
  const websites = new Map<string, { size: number; stored: number; compressible: boolean; folders: Set<string> }>()
  const single: { file: ChosenFile; stored: number }[] = []
  for (const [index, file] of files.entries()) {
    const [top = '', ...rest] = file.path.split('/')
    const own = stored?.[index] ?? 0
    if (rest.length === 0) {
      single.push({ file, stored: own })
      continue
    }
    const site = websites.get(top) ?? { size: 0, stored: 0, compressible: false, folders: new Set() }
    websites.set(top, site)
    let around = entryBytes(rest.at(-1) ?? '') + Math.floor(file.size / LEAF_BYTES) * ENTRY_BYTES
    for (let depth = 0; depth < rest.length; depth++) {
      const folder = rest.slice(0, depth).join('/')
      if (site.folders.has(folder)) continue
      site.folders.add(folder)
      around += entryBytes(rest[depth - 1] ?? '')
    }
    site.size += file.size + around
    site.stored += own + around
    site.compressible ||= COMPRESSIBLE.test(file.mimetype)
  }
  const whole = [...websites].map(([path, { size, stored, compressible }]) => {
    // Content that may compress well is not refused by its size alone.
    const mimetype = compressible ? 'text/html' : 'application/vnd.ipld.car'
    return { file: { path, size, mimetype, lastModified: 0, source: undefined }, stored }
  })
  const all = [...whole, ...single]
  return { files: all.map(({ file }) => file), stored: stored && all.map((each) => each.stored) }
}

/** With the stored sizes on this target: what compressing hardly shortens is stored uncompressed. */
export function storedOn({ files, stored }: OnChain, { maxIncompressibleBytes, maxDataBytes }: Limits): OnChain {
  const step = maxDataBytes ?? 0
  const most = literalBrotliLength(maxIncompressibleBytes, step)
  return { files, stored: stored && files.map(({ size }, index) => storedLength(stored[index] ?? 0, size, step, most)) }
}

/** The files with the sizes that an estimate for the target counts if the stored ones are known. */
export function estimatedSizes(
  { files, stored }: OnChain,
  { maxDataBytes }: Pick<Limits, 'maxDataBytes'>,
): { size: number; mimetype: string }[] {
  return files.map(({ size, mimetype }, index) => {
    const known = stored?.[index]
    return { size: known === undefined ? size : incompressibleSize(known, maxDataBytes ?? 0), mimetype }
  })
}

function entryBytes(name: string): number {
  return ENTRY_BYTES + new TextEncoder().encode(name).length
}
