import type { StreamsPart } from '../part-tools.ts'
import { providePart } from '../provide-part.ts'
import { openMedia } from './open-media.ts'
import { showPlayer, takesPlayer } from './show-player.ts'
import { streamByWorker } from './stream-by-worker.ts'

/** Smaller media is as soon there as its player, and is shown whole. */
const LEAST_BYTES = 4 << 20

export const part: StreamsPart = {
  async show(tools, request, { element, signal }, ipfs) {
    const { blockchain, sources, path, mode, sha256 } = request
    const isProven = (element.getAttribute('data-proof') ?? tools.dataset.proof) !== undefined
    const isOther = blockchain !== 'IPFS' && (path !== '' || /[i:+]/.test(sources.join()))
    if (isProven || isOther || mode !== 'blob' || sha256 !== undefined) return false
    if (!takesPlayer(element, request)) return await streamByWorker(tools, element, request, signal)
    const media = await openMedia(tools, request, signal, ipfs)
    return media !== undefined && media.size >= LEAST_BYTES && (await showPlayer(tools, element, request, media))
  },
}
providePart(part)
