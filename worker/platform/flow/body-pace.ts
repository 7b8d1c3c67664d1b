import { SLOWEST_BODY } from '../../../contract/limits.ts'

/** A body is too slow that is below `SLOWEST_BODY` over so many milliseconds. */
const WITHIN = 30_000
const LEAST_BYTES = (WITHIN / 1000) * SLOWEST_BODY
/** How often it is looked, in milliseconds. */
const TICK = 1000
/** Bytes that are read at once. */
const PIECE_BYTES = 64 * 1024

/** How fast a body arrives, counted in one span of time after another; times in milliseconds. */
export class BodyPace {
  #since: number
  #bytes = 0

  constructor(now: number) {
    this.#since = now
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Whether the span that is over by `now` brought too little; with one that did not a new one begins. */
  isTooSlow(now: number): boolean {
    if (now - this.#since < WITHIN) return false
    if (this.#bytes < LEAST_BYTES) return true
    this.#since = now
    this.#bytes = 0
    return false
  }
}

/** A body of bytes as it arrives, which fails with `tooSlow()` where it is slower than {@link BodyPace} allows. */
export function pacedBody(
  body: ReadableStream<Uint8Array>,
  clock: () => number,
  tooSlow: () => Error,
): ReadableStream<Uint8Array> {
  const pace = new BodyPace(clock())
  const reader = body.getReader({ mode: 'byob' })
  let timer: ReturnType<typeof setInterval> | undefined
  const end = () => clearInterval(timer)
  return new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if (!pace.isTooSlow(clock())) return
        end()
        controller.error(tooSlow())
        void reader.cancel().catch(() => {})
      }, TICK)
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read(new Uint8Array(PIECE_BYTES))
        if (done || !value) {
          end()
          controller.close()
        } else {
          pace.add(value.byteLength)
          controller.enqueue(value)
        }
      } catch (error) {
        end()
        throw error
      }
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
}
