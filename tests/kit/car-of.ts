import type { CID } from 'multiformats/cid'
import { concatBytes } from '../../protocol/bytes.ts'
import { addDirectory } from '../../worker/content/ipfs/dag/add-file.ts'
import { carHeader, carSection } from '../../worker/content/ipfs/formats/car-section.ts'

/** A website as a CAR (docs/formats.md). */
export async function carOf(files: Record<string, string | Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const sections: Uint8Array[] = []
  const sink = {
    async put(cid: CID, bytes: Uint8Array) {
      sections.push(...carSection(cid, bytes))
      return cid
    },
  }
  async function* entries() {
    for (const [path, content] of Object.entries(files)) yield { path, content: once(content) }
  }
  async function* once(content: string | Uint8Array) {
    yield typeof content === 'string' ? new TextEncoder().encode(content) : content
  }
  const { cid } = await addDirectory(sink, entries())
  return concatBytes([carHeader([cid]), ...sections])
}
