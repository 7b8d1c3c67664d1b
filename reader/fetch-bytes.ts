import { ReaderError, UnavailableError } from './reader-error.ts'

/** How bytes are fetched; in browsers `fetch` leaves out credentials and referrer. */
export interface FetchOptions {
  fetch: (url: string, init: RequestInit) => Promise<Response>
  signal?: AbortSignal | undefined
  /** Milliseconds without a byte after which the request is aborted. */
  silence: number
}

export interface FetchRequest {
  url: string
  /** Sent as JSON, by POST. */
  json?: object | undefined
  accept?: string
  /** Bytes; more than these is an error, as soon as they are there. */
  maxBytes: number
  /** Called with the number of bytes that have arrived, and the total if the server sends it. */
  onProgress?: ((loaded: number, total: number | undefined) => void) | undefined
}

/**
 * The body at `url`, piece by piece. Ends with an error at the limit, at silence and
 * at the caller's signal. @throws {ReaderError}
 */
export async function* fetchBytes(request: FetchRequest, options: FetchOptions): AsyncGenerator<Uint8Array> {
  const { url, json, accept, maxBytes, onProgress } = request
  const controller = new AbortController()
  const name = shortName(url)
  const timeoutError = new ReaderError('timeout', `${name} sent nothing for ${options.silence / 1000} s.`)
  const giveUp = () => controller.abort(timeoutError)
  const stop = () => controller.abort(options.signal?.reason)
  options.signal?.throwIfAborted()
  options.signal?.addEventListener('abort', stop, { once: true })
  let timer = setTimeout(giveUp, options.silence)
  try {
    const response = await options.fetch(url, {
      ...(accept && { headers: { Accept: accept } }),
      ...(json !== undefined && {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(json),
      }),
      signal: controller.signal,
    })
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      throw refusal(response, name)
    }
    // With a content encoding the header counts other bytes than those that arrive here.
    const length = response.headers.has('Content-Encoding') ? undefined : response.headers.get('Content-Length')
    let loaded = 0
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read()
      clearTimeout(timer)
      if (done) return
      loaded += value.length
      if (loaded > maxBytes) throw new ReaderError('too_large', `${name} is larger than ${maxBytes} bytes.`)
      onProgress?.(loaded, Number(length) || undefined)
      yield value
      // Only the server's silence counts, not that of the one who reads.
      timer = setTimeout(giveUp, options.silence)
    }
  } catch (error) {
    if (options.signal?.aborted) throw options.signal.reason
    if (error instanceof ReaderError) throw error
    if (controller.signal.aborted) throw timeoutError
    throw new ReaderError('network', `${name} could not be fetched.`, error)
  } finally {
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', stop)
    // Ends a download that nobody reads to its end.
    controller.abort(timeoutError)
  }
}

/** A URL for messages: a list of transactions can have thousands of characters, and its start identifies it. */
function shortName(url: string): string {
  return url.replace(/^(.{160}).{9,}/, '$1…')
}

function refusal(response: Response, name: string): ReaderError {
  const { status } = response
  if (status === 404 || status === 410) return new ReaderError('not_found', `${name} does not exist.`)
  if (status === 451) return new ReaderError('denied', `${name} is not served for legal reasons.`)
  return new UnavailableError(`${name} answered with status ${status}.`, response)
}
