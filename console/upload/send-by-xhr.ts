/** A request is aborted after this many ms without a byte sent or received. */
const STALL_MS = 20_000

/**
 * Like `fetch`, which does not report sent bytes: a slow connection looks the same as a dead one. `onSent` is called
 * with how many bytes of the body have left.
 */
export function sendByXhr(url: string, init: RequestInit, onSent?: (bytes: number) => void): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const { signal, body } = init
    const stop = () => request.abort()
    let timer: ReturnType<typeof setTimeout> | undefined
    const hear = () => {
      clearTimeout(timer)
      timer = setTimeout(stop, STALL_MS)
    }
    request.open(init.method ?? 'GET', url)
    for (const [name, value] of new Headers(init.headers)) request.setRequestHeader(name, value)
    request.onprogress = hear
    request.upload.onprogress = ({ loaded }) => {
      hear()
      onSent?.(loaded)
    }
    request.onload = () => resolve(responseOf(request))
    request.onloadend = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      // Has no effect after a response.
      reject(new TypeError('the request was not answered'))
    }
    signal?.addEventListener('abort', stop)
    hear()
    // A body that is a Blob on disk never completes in some versions of Safari.
    request.send(body instanceof Uint8Array ? new Uint8Array(body).buffer : typeof body === 'string' ? body : null)
    if (signal?.aborted) stop()
  })
}

function responseOf(request: XMLHttpRequest): Response {
  const { status, responseText } = request
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return new Response(status === 204 ? null : responseText, { status, headers })
}
