import { HookError } from './hook-error.ts'
import { explainRefusal } from './policy-violations.ts'

/** A server that sends nothing for so long is given up, in ms. */
const SILENCE = 30_000

/** Pages tell nobody who looks at them. */
export const ANONYMOUS: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer' }

export interface DownloadOptions {
  /** Bytes; more than these is an error, as soon as they are there. */
  limit: number
  /** Sent as JSON, by POST. */
  body?: unknown
  /** Called with the bytes that have arrived, and how many there will be, where the server says so. */
  onProgress?: (loaded: number, total: number | undefined) => void
}

/** Times that a busy server is asked again, after 1, 2, 4… s: through the minute that a limit counts, or a hiccup. */
const RETRIES: Record<number, number> = { 429: 6, 503: 2 }

/** The body at `url`, fetched without credentials and referrer. @throws {HookError} */
export async function download(url: string, options: DownloadOptions): Promise<Uint8Array[]> {
  for (let retries = 0; ; retries++) {
    try {
      return await downloadOnce(url, options)
    } catch (error) {
      if (!(error instanceof Busy) || retries >= (RETRIES[error.status] ?? 0)) throw error
      await new Promise((resolve) => setTimeout(resolve, 1000 * 2 ** retries))
    }
  }
}

/** Has the browser replace what its cache holds for `url`, which was not what it should be: without its error for ever. */
export function refresh(url: string): void {
  fetch(url, { ...ANONYMOUS, cache: 'reload' }).catch(() => {})
}

class Busy extends HookError {
  readonly status: number

  constructor(status: number, name: string) {
    super('unavailable', `${name} answered with status ${status}.`)
    this.status = status
  }
}

async function downloadOnce(url: string, { limit, body, onProgress }: DownloadOptions): Promise<Uint8Array[]> {
  const controller = new AbortController()
  // A list of transactions can be thousands of characters, and the start tells which one it is.
  const name = url.replace(/^(.{160}).{9,}/, '$1…')
  const giveUp = () => controller.abort(new HookError('timeout', `${name} did not answer in ${SILENCE / 1000} s.`))
  let timer = setTimeout(giveUp, SILENCE)
  try {
    const response = await fetch(url, {
      ...ANONYMOUS,
      signal: controller.signal,
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    if (!response.ok || !response.body) throw refusal(response.status, name)
    // With a content encoding the header counts other bytes than those that arrive here.
    const encoded = response.headers.has('Content-Encoding')
    const total = encoded ? undefined : Number(response.headers.get('Content-Length')) || undefined
    const chunks: Uint8Array[] = []
    let loaded = 0
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) return chunks
      clearTimeout(timer)
      timer = setTimeout(giveUp, SILENCE)
      loaded += value.length
      if (loaded > limit) throw new HookError('too_large', `${name} is larger than ${limit} bytes.`)
      chunks.push(value)
      onProgress?.(loaded, total)
    }
  } catch (error) {
    controller.abort()
    if (error instanceof HookError) throw error
    const failure = new HookError('network', `${name} could not be fetched.`, { cause: error })
    throw await explainRefusal(failure, url, 'connect-src')
  } finally {
    clearTimeout(timer)
  }
}

function refusal(status: number, name: string): HookError {
  if (status === 404) return new HookError('not_found', `${name} does not exist.`)
  if (status === 451) return new HookError('denied', `${name} is not served for legal reasons.`)
  return new Busy(status, name)
}
