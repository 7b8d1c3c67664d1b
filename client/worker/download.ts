import { type FetchRequest, fetchBytes } from '../../reader/fetch-bytes.ts'
import { fetchWithRetries } from '../../reader/fetch-with-retries.ts'
import type { Tools } from './content.ts'
import type { Attempt } from './first-of.ts'

/** Milliseconds without a byte after which a host counts as unreachable: alone, and beside others. */
const SILENCE_MS = 30_000
const SILENCE_BESIDE_OTHERS_MS = 5_000

/** Downloads for one attempt. A host that is the only one is asked again where it fails; else the others are. */
export function downloadFor({ hosts, fetch }: Tools, { signal, begun }: Attempt) {
  const alone = hosts.length === 1
  return async function* download(request: FetchRequest): AsyncGenerator<Uint8Array> {
    const silence = alone ? SILENCE_MS : SILENCE_BESIDE_OTHERS_MS
    const body = (alone ? fetchWithRetries : fetchBytes)(request, { fetch, signal, silence })
    for await (const piece of body) {
      begun()
      yield piece
    }
  }
}
