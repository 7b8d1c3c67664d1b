import { brotliDecompressSync } from 'node:zlib'
import type { ConsoleManifest } from '../../../console/build-manifest.ts'
import pack from '../../../console/dist/files.pack'
import manifestData from '../../../console/dist/manifest.json.br'
import { type BuiltFile, builtFile, etagOf } from '../../platform/http/built-file.ts'

/** What was built, as the build wrote it down. */
export const manifest: ConsoleManifest = JSON.parse(brotliDecompressSync(manifestData).toString())

/** Every file of the console by its path; the page is at `/console`. */
export const consoleFiles: ReadonlyMap<string, BuiltFile> = unpack()

function unpack(): Map<string, BuiltFile> {
  let start = 0
  return new Map(
    manifest.map(({ path, type, integrity, compressed }) => {
      const bytes = new Uint8Array(pack, start, compressed)
      start += compressed
      return [path, builtFile({ path, type, etag: etagOf(integrity) }, bytes)]
    }),
  )
}
