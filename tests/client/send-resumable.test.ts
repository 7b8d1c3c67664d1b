import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError, HooklineError } from '../../client/http/api-error.ts'
import { byteSource } from '../../client/store/byte-source.ts'
import { type ResumableOptions, sendResumable } from '../../client/store/send-resumable.ts'

const MIB = 1 << 20
const refusal = (status: number, retryAfter?: number) =>
  new ApiError({ status, code: 'refused', message: 'No.', method: 'PATCH', path: '/v0/upload/u1', retryAfter })
const offline = () => new HooklineError('network', 'Gone.')
const content = (size: number) => Uint8Array.from({ length: size }, (_, index) => (index * 31) & 0xff)

/** A service with one upload; `faults` occur in turn, each after this many bytes of a part were stored. */
function service(faults: { error: Error; kept?: number }[] = [], held: Uint8Array = new Uint8Array(0)) {
  const state = { bytes: held, parts: [] as number[], begun: 0, asked: 0 }
  const keep = (bytes: Uint8Array) => {
    state.bytes = new Uint8Array(Buffer.concat([state.bytes, bytes]))
  }
  const uploads = {
    async begin(_: unknown, first?: Uint8Array) {
      state.begun++
      if (first) keep(first)
      return { id: 'u1', offset: state.bytes.length }
    },
    async offset() {
      state.asked++
      return state.bytes.length
    },
    async append(_: string, offset: number, bytes: Uint8Array) {
      if (offset !== state.bytes.length) throw refusal(409)
      state.parts.push(bytes.length)
      const fault = faults.shift()
      keep(bytes.subarray(0, fault ? (fault.kept ?? 0) : bytes.length))
      if (fault) throw fault.error
      return state.bytes.length
    },
    async hashes() {
      const whole = Math.floor(state.bytes.length / MIB)
      const hashes = Array.from({ length: whole }, async (_, index) => {
        const chunk = state.bytes.slice(index * MIB, (index + 1) * MIB)
        return Buffer.from(await crypto.subtle.digest('SHA-256', chunk)).toString('hex')
      })
      return { chunkSize: MIB, hashes: await Promise.all(hashes) }
    },
  }
  return { state, uploads }
}

function options(fields: Partial<ResumableOptions> = {}) {
  const waits: number[] = []
  const held: number[] = []
  const item = { name: 'a', mimetype: 'text/plain', blockchain: 'IPFS', size: 0 } as const
  const own: ResumableOptions = {
    id: undefined,
    item,
    compare: false,
    sleep: async (ms) => void waits.push(ms),
    onId: async () => {},
    onAcknowledged: (bytes) => void held.push(bytes),
    onPause: () => {},
    ...fields,
  }
  return { own, waits, held }
}

describe('an upload that goes on where it was cut', () => {
  it('sends small content with the request that begins it', async () => {
    const { state, uploads } = service()
    const { own, held } = options()
    await sendResumable(uploads, byteSource(content(300)), own)
    expect(state).toMatchObject({ begun: 1, parts: [], bytes: content(300) })
    expect(held).toEqual([300])
  })

  it('keeps its id before a byte is sent, and sends parts of 8 MiB', async () => {
    const { state, uploads } = service()
    let kept = 0
    const onId = async () => {
      kept = 1 + state.bytes.length
    }
    const { own } = options({ onId })
    await sendResumable(uploads, byteSource(new Uint8Array(9 * MIB)), own)
    expect(kept).toBe(1)
    expect(state.parts).toEqual([8 * MIB, MIB])
  })

  it('asks after a cut how much arrived, and sends no byte of that again', async () => {
    const whole = content(3 * MIB)
    const { state, uploads } = service([{ error: offline(), kept: MIB + 77 }, { error: refusal(423) }])
    const { own, held } = options()
    await sendResumable(uploads, byteSource(whole), own)
    expect(state.parts).toEqual([3 * MIB, 2 * MIB - 77, 2 * MIB - 77])
    expect(Buffer.from(state.bytes).equals(Buffer.from(whole))).toBe(true)
    expect(held.at(-1)).toBe(3 * MIB)
  })

  it('console 13: goes on without end, at most 30 s apart, while there may be a way', async () => {
    const errors = fc.constantFrom(0, 408, 409, 423, 425, 429, 500, 502, 503, 507)
    await fc.assert(
      fc.asyncProperty(fc.array(errors, { minLength: 1, maxLength: 40 }), async (statuses) => {
        const faults = statuses.map((status) => ({ error: status === 0 ? offline() : refusal(status) }))
        const { state, uploads } = service(faults)
        const { own, waits } = options()
        await sendResumable(uploads, byteSource(content(MIB + 1)), own)
        expect(state.bytes).toHaveLength(MIB + 1)
        expect(waits).toHaveLength(statuses.length)
        expect(waits.every((ms) => ms > 0 && ms <= 30_000)).toBe(true)
      }),
      { numRuns: 10 },
    )
  })

  it('console 40: never repeats a refusal that stays one, and waits as long as the service asks, two minutes at most', async () => {
    for (const status of [400, 401, 402, 403, 404, 410, 413, 415, 422]) {
      const { state, uploads } = service([{ error: refusal(status) }])
      const sending = sendResumable(uploads, byteSource(content(MIB + 1)), options().own)
      await expect(sending).rejects.toMatchObject({ status })
      expect(state.parts).toHaveLength(1)
    }
    const { uploads } = service([{ error: refusal(429, 18) }, { error: refusal(503, 600) }])
    const { own, waits } = options()
    await sendResumable(uploads, byteSource(content(MIB + 1)), own)
    const [first = 0, second = 0] = waits
    expect([Math.floor(first / 1000), Math.floor(second / 1000)]).toEqual([18, expect.closeTo(120, -1)])
  })

  it('console 18: compares what is held with the content, and sends nothing where that is another', async () => {
    const whole = content(3 * MIB)
    const same = service([], whole.slice(0, 2 * MIB))
    await sendResumable(same.uploads, byteSource(whole), options({ id: 'u1', compare: true }).own)
    expect(same.state.parts).toEqual([MIB])
    const other = service([], new Uint8Array(2 * MIB))
    const sending = sendResumable(other.uploads, byteSource(whole), options({ id: 'u1', compare: true }).own)
    await expect(sending).rejects.toMatchObject({ code: 'other_content' })
    expect(other.state.parts).toEqual([])
  })

  it('ends with the reason of the signal', async () => {
    const controller = new AbortController()
    const { uploads } = service([{ error: offline() }])
    const { own } = options({ signal: controller.signal, onPause: () => controller.abort(new Error('paused')) })
    own.sleep = async (_, signal) => signal?.throwIfAborted()
    await expect(sendResumable(uploads, byteSource(content(MIB + 1)), own)).rejects.toThrow('paused')
  })
})
