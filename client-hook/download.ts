import { fetchBytes } from '../reader/fetch-bytes.ts'
import { ReaderError, UnavailableError } from '../reader/reader-error.ts'
import { explainRefusal } from './policy-violations.ts'

/** A server that sends nothing for so long is given up, in ms. */
const SILENCE_TIMEOUT_MS = 30_000

/** Pages tell nobody who looks at them. */
export const ANONYMOUS: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer' }

export interface DownloadOptions {
  /** Bytes; more than these is an error, as soon as they are there. */
  limit: number
  /** Sent as JSON, by POST. */
  body?: unknown
  /** Ends the download with its reason. */
  signal?: AbortSignal | undefined
  /** Past the browser's cache. */
  reload?: boolean | undefined
  /** `error` refuses an answer that sends elsewhere. */
  redirect?: RequestRedirect | undefined
  /** Called with the bytes that have arrived, and how many there will be, where the server says so. */
  onProgress?: ((loaded: number, total: number | undefined) => void) | undefined
}

/** Times that a busy server is asked again, after 1, 2, 4… s: through the minute that a limit counts, or a hiccup. */
const RETRIES: Record<number, number> = { 429: 6, 503: 2 }

/** The body at `url`, fetched without credentials and referrer. @throws {ReaderError} */
export async function download(url: string, options: DownloadOptions): Promise<Uint8Array[]> {
  for (let retries = 0; ; retries++) {
    try {
      return await downloadOnce(url, options)
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof UnavailableError && retries < (RETRIES[error.response.status] ?? 0)) {
        await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** retries))
      } else if (error instanceof ReaderError && error.code === 'network') {
        throw await explainRefusal(error, url, 'connect-src')
      } else throw error
    }
  }
}

/** Has the browser replace what its cache holds for `url`, which was not what it should be: without its error for ever. */
export function refresh(url: string, { redirect = 'follow' }: Pick<DownloadOptions, 'redirect'> = {}): void {
  fetch(url, { ...ANONYMOUS, redirect, cache: 'reload' }).catch(() => {})
}

async function downloadOnce(url: string, options: DownloadOptions): Promise<Uint8Array[]> {
  const { limit, body, signal, reload, redirect = 'follow', onProgress } = options
  const chunks: Uint8Array[] = []
  const how = {
    fetch: (address: string, init: RequestInit) =>
      fetch(address, { ...init, ...ANONYMOUS, redirect, cache: reload ? 'reload' : 'default' }),
    silence: SILENCE_TIMEOUT_MS,
    signal,
  }
  for await (const chunk of fetchBytes({ url, json: body, maxBytes: limit, onProgress }, how)) chunks.push(chunk)
  return chunks
}
