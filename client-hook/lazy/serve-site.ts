import { typeOfBytes } from '../../reader/charset.ts'
import { mapBounded } from '../../reader/map-bounded.ts'
import type { Content, SiteFile } from '../content.ts'
import type { HelperAnswer, HelperRequest } from '../site/messages.ts'

/** Files of a site that are read at once. */
const FILES_AT_ONCE = 6
/** Pages whose files can still be read: those behind are opened again. */
const MAX_PAGES = 64

/**
 * Answers what `/frame` asks for a site on `port`: verified files and pages. `asked` and `answered` are told of each request, and
 * `failed` of what could not be verified or fetched; what is not there is no failure.
 */
export function serveSite(
  { site: first }: Content,
  port: MessagePort,
  { asked, answered, failed }: { asked(): void; answered(): void; failed(error: unknown): void },
): void {
  const pages = new Map([[0, first]])
  let count = 0
  const open = async (path: string) => {
    const { site, mediaType, bytes } = (await first?.open(path)) ?? {}
    if (!site || !mediaType || !bytes) return undefined
    const number = ++count
    pages.set(number, site).delete(number - MAX_PAGES)
    return { number, path: site.path, mediaType: typeOfBytes(mediaType, bytes), bytes }
  }
  const read = async (page: number, path: string): Promise<SiteFile | undefined> => {
    const file = await pages.get(page)?.read(path)
    return file && { ...file, mediaType: typeOfBytes(file.mediaType, file.bytes) }
  }
  port.onmessage = async ({ data }: MessageEvent<HelperRequest>) => {
    const { id } = data
    const answer = (message: HelperAnswer) => port.postMessage(message)
    asked()
    try {
      if ('open' in data) answer({ id, opened: await open(String(data.open)) })
      else answer({ id, files: await mapBounded(data.paths, FILES_AT_ONCE, (path) => read(data.page, String(path))) })
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'not_found') answer({ id, opened: undefined })
      else {
        failed(error)
        answer({ id, failed: error instanceof Error ? error.message : String(error) })
      }
    }
    answered()
  }
}
