import type { MiddlewareHandler } from 'hono'

/**
 * Errors after which a client asks for the upload's offset, whether it sees the status or a lost connection. Their
 * bodies are not drained: a browser repeats a request whose connection was cut, and should send little in vain.
 */
const RESUMED_BY_HEAD = new Set([409, 423])

/** The most bytes of a rejected body that are read: those of one request of a client that uploads in parts. */
const MAX_DRAINED = 32 * 1024 * 1024
/** The most time for that, in milliseconds. */
const DRAIN_TIMEOUT = 20_000

/**
 * Middleware that reads and discards the body of a rejected request: a browser that is still sending when the
 * connection is closed sees neither status nor reason.
 */
export function drainRejectedBody(): MiddlewareHandler {
  return async function drainRejectedBody(c, next) {
    await next()
    const { body, bodyUsed } = c.req.raw
    if (c.res.status < 400 || RESUMED_BY_HEAD.has(c.res.status) || !body || bodyUsed || body.locked) return
    if (Number(c.req.header('Content-Length') ?? 0) <= MAX_DRAINED) await drain(body)
  }
}

async function drain(body: ReadableStream<Uint8Array>): Promise<void> {
  const reader = body.getReader()
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), DRAIN_TIMEOUT)
  try {
    for (let length = 0; length <= MAX_DRAINED; ) {
      const { done, value } = await reader.read()
      if (done) return
      length += value.byteLength
    }
  } catch {
    // The client has disconnected and needs no answer.
  } finally {
    clearTimeout(timer)
  }
}
