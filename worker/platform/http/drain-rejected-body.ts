import type { MiddlewareHandler } from 'hono'

/**
 * Refusals that a client mends by asking where to go on, whether it sees the status or a lost connection. Browsers send
 * a request again by themselves when its connection was cut: what they then send in vain is to be little.
 */
const TOLD_BY_HEAD = new Set([409, 423])

/** Most bytes of a refused body that are read: those of one request of a client that uploads in parts. */
const MAX_DRAINED = 32 * 1024 * 1024
/** How long they may take, in milliseconds. */
const DRAIN_TIMEOUT = 20_000

/**
 * Reads what a refused request sends, and forgets it: a browser that is still sending when the connection is closed
 * sees neither the status nor the reason.
 */
export function drainRejectedBody(): MiddlewareHandler {
  return async function drainRefused(c, next) {
    await next()
    const { body, bodyUsed } = c.req.raw
    if (c.res.status < 400 || TOLD_BY_HEAD.has(c.res.status) || !body || bodyUsed || body.locked) return
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
    // A client that is gone needs no answer.
  } finally {
    clearTimeout(timer)
  }
}
