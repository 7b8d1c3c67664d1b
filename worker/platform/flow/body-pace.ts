import { SLOWEST_BODY } from '../../../contract/limits.ts'

/** The rate of a body is measured over this many milliseconds. */
const WITHIN = 30_000
const LEAST_BYTES = (WITHIN / 1000) * SLOWEST_BODY
/** How often the rate is checked, in milliseconds. */
const TICK = 1000
/** Bytes of one read. */
const PIECE_BYTES = 64 * 1024

/** The rate at which a body arrives, measured over consecutive intervals; times in milliseconds. */
export class BodyPace {
  #since: number
  #bytes = 0

  constructor(now: number) {
    this.#since = now
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Whether fewer bytes than `SLOWEST_BODY` allows arrived in the interval that ended by `now`; if not, starts the next. */
  isTooSlow(now: number): boolean {
    if (now - this.#since < WITHIN) return false
    if (this.#bytes < LEAST_BYTES) return true
    this.#since = now
    this.#bytes = 0
    return false
  }
}

/** The same body, which fails with `tooSlow()` where it arrives more slowly than {@link BodyPace} allows. */
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
