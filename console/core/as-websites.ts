import { COMPRESSIBLE } from '../../contract/media-type.ts'
import { incompressibleSize } from '../../protocol/literal-brotli.ts'
import type { ChosenFile } from './chosen-files.ts'

/** More than lies around a file or a folder of a website, but its name: its CID twice, sizes, the node of its folder. */
const ENTRY_BYTES = 128
/** The leaves that a file is cut into (docs/formats.md), each of which has an entry where there are several. */
const LEAF_BYTES = 2 ** 20

/** What a chain would hold: single files, and each top folder as one file. */
export interface OnChain {
  files: ChosenFile[]
  /** The bytes that each is stored in, where that is known. */
  stored: number[] | undefined
}

/**
 * The chosen files as they lie on a chain where each top folder becomes one website, as large as it is at most.
 * @param stored The bytes that each file is stored in by itself, where that is known.
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
    // What may become much shorter is not refused by its size alone.
    const mimetype = compressible ? 'text/html' : 'application/vnd.ipld.car'
    return { file: { path, size, mimetype, lastModified: 0, source: undefined }, stored }
  })
  const all = [...whole, ...single]
  return { files: all.map(({ file }) => file), stored: stored && all.map((each) => each.stored) }
}

/** As {@link asWebsites}, for an estimate: the sizes that it counts with where the stored ones are known. */
export function estimatedSizes({ files, stored }: OnChain): { size: number; mimetype: string }[] {
  return files.map(({ size, mimetype }, index) => {
    const known = stored?.[index]
    return { size: known === undefined ? size : incompressibleSize(known), mimetype }
  })
}

function entryBytes(name: string): number {
  return ENTRY_BYTES + new TextEncoder().encode(name).length
}
