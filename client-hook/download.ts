import { fetchBytes } from '../reader/fetch-bytes.ts'
import { ReaderError, UnavailableError } from '../reader/reader-error.ts'
import { explainRefusal } from './policy-violations.ts'

/** A server that sends nothing for this long (ms) counts as unreachable. */
const SILENCE_TIMEOUT_MS = 30_000

/** No host learns which user or page asks. */
export const ANONYMOUS: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer' }

export interface DownloadOptions {
  /** Size limit in bytes; the download fails as soon as it is exceeded. */
  limit: number
  /** Sent as JSON, by POST. */
  body?: object
  /** Aborts the download with its reason. */
  signal?: AbortSignal | undefined
  /** Bypasses the browser's cache. */
  reload?: boolean | undefined
  /** `error` makes redirects fail. */
  redirect?: RequestRedirect | undefined
  /** Called with the bytes received so far, and the total if the server sends it. */
  onProgress?: ((loaded: number, total: number | undefined) => void) | undefined
}

/** Retries by status, after 1, 2, 4… s: enough for the minute of a rate limit, or for a short failure. */
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

/** Makes the browser replace its cached response for `url`, because that was false. Errors are ignored. */
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
