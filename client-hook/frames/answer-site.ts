import { contentRange, parseRange } from '../../contract/byte-range.ts'
import type { Media } from '../content.ts'
import type { SiteAnswer, SiteRequest } from './messages.ts'
import type { ShownFile, SitePages } from './site-pages.ts'

type Pages = Pick<SitePages, 'read' | 'readMedia'>

/**
 * What the site's own host would answer: the verified file, a part of it, the way to a directory, or the site's 404.html. `policy`
 * is on every answer. Never rejects.
 */
export async function answerSite(
  request: SiteRequest,
  pages: Pages,
  policy: SiteAnswer['headers'],
): Promise<SiteAnswer> {
  const answer = await decide(request, pages).catch((error) => sentence(502, messageOf(error)))
  return { ...answer, headers: [...answer.headers, ...policy] }
}

async function decide({ method, path, range, isPage }: SiteRequest, pages: Pages): Promise<SiteAnswer> {
  const [, encoded = '', query = ''] = /^\/([^?]*)(.*)$/s.exec(path) ?? []
  const wanted = decode(encoded)
  if (method !== 'GET' && method !== 'HEAD') return sentence(405, 'A stored site takes nothing that is sent to it.')
  const file = wanted === undefined ? undefined : await pages.read(wanted, isPage)
  if (!file) {
    const missing = isPage ? await pages.read('404.html', false) : undefined
    return missing ? whole(missing, 404) : sentence(404, 'This site has nothing at this address.')
  }
  if (isPage && wanted !== '' && !wanted?.endsWith('/') && file.path === `${wanted}/index.html`) {
    return { status: 301, headers: [['Location', `/${encoded}/${query}`]], body: null }
  }
  if (file.media) return await partOfMedia(file.mediaType, file.media, range, method, pages)
  const answer = range === null ? whole(file, 200) : part(file, range)
  return method === 'HEAD' ? { ...answer, body: null } : answer
}

function whole({ bytes, mediaType }: ShownFile, status: number): SiteAnswer {
  return {
    status,
    headers: [
      ['Content-Type', mediaType],
      ['Accept-Ranges', 'bytes'],
      ['Content-Length', `${bytes.length}`],
    ],
    body: bytes.slice().buffer,
  }
}

/** Bytes of media in one answer to a range: a player asks for the next ones. */
const MAX_PART = 1 << 20

async function partOfMedia(
  mediaType: string,
  media: Media,
  range: string | null,
  method: string,
  pages: Pages,
): Promise<SiteAnswer> {
  const { size } = media
  const wanted = parseRange(range, size)
  if (wanted === 'unsatisfiable') return { status: 416, headers: [['Content-Range', `bytes */${size}`]], body: null }
  const start = wanted?.start ?? 0
  const end = wanted ? Math.min(wanted.end, start + MAX_PART - 1) : size - 1
  const bytes = method === 'HEAD' ? undefined : await pages.readMedia(media, start, end)
  return {
    status: wanted ? 206 : 200,
    headers: [
      ['Content-Type', mediaType],
      ['Accept-Ranges', 'bytes'],
      ['Content-Length', `${end - start + 1}`],
      ...(wanted ? [['Content-Range', contentRange({ start, end }, size)] satisfies [string, string]] : []),
    ],
    body: bytes?.slice().buffer ?? null,
  }
}

/** One range (RFC 9110, 14); all of the file where it is another unit or form. */
function part(file: ShownFile, range: string): SiteAnswer {
  const { bytes, mediaType } = file
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range.trim()) ?? []
  if (from === '' && to === '') return whole(file, 200)
  const start = from === '' ? Math.max(0, bytes.length - Number(to)) : Number(from)
  const end = from === '' || to === '' ? bytes.length : Math.min(bytes.length, Number(to) + 1)
  if (start >= end) return { status: 416, headers: [['Content-Range', `bytes */${bytes.length}`]], body: null }
  return {
    status: 206,
    headers: [
      ['Content-Type', mediaType],
      ['Accept-Ranges', 'bytes'],
      ['Content-Length', `${end - start}`],
      ['Content-Range', `bytes ${start}-${end - 1}/${bytes.length}`],
    ],
    body: bytes.slice(start, end).buffer,
  }
}

/** A page of the helper, in place of one of the site. */
function sentence(status: number, text: string): SiteAnswer {
  const escaped = text.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;'))
  const page = `<!doctype html><meta charset="utf-8"><title>${status}</title><p style="font:1em sans-serif">${escaped}</p>`
  return {
    status,
    headers: [['Content-Type', 'text/html; charset=utf-8']],
    body: new TextEncoder().encode(page).buffer,
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
