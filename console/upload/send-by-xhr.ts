/** Without a byte sent or received for so long, a request is given up. */
const STALL_MS = 20_000

/** As `fetch`, which does not tell that bytes are being sent: a line that is slow can't be told from one that is dead. */
export function sendByXhr(url: string, init: RequestInit): Promise<Response> {
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
    request.onprogress = request.upload.onprogress = hear
    request.onload = () => resolve(responseOf(request))
    request.onloadend = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      // After an answer this does nothing.
      reject(new TypeError('the request was not answered'))
    }
    signal?.addEventListener('abort', stop)
    hear()
    // A body that is a Blob on disk never ends in some versions of Safari.
    request.send(body instanceof Uint8Array ? new Uint8Array(body).buffer : null)
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
