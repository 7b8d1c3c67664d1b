import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BodyPace, pacedBody } from '../../../../worker/platform/flow/body-pace.ts'

describe('the pace of a body', () => {
  it('is too slow below 30 KiB in 30 seconds, and is not looked at before', () => {
    const pace = new BodyPace(0)
    pace.add(30 * 1024 - 1)
    expect(pace.isTooSlow(29_999)).toBe(false)
    expect(pace.isTooSlow(30_000)).toBe(true)
    pace.add(1)
    expect(pace.isTooSlow(30_000)).toBe(false)
  })

  it('begins anew with each span, so that a fast beginning carries nobody', () => {
    const pace = new BodyPace(0)
    pace.add(1 << 20)
    expect(pace.isTooSlow(30_000)).toBe(false)
    pace.add(1024)
    expect(pace.isTooSlow(59_999)).toBe(false)
    expect(pace.isTooSlow(60_000)).toBe(true)
  })
})

describe('a paced body', () => {
  let time = 0
  beforeEach(() => {
    time = 0
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  })
  afterEach(() => void vi.useRealTimers())

  const pass = async (ms: number) => {
    time += ms
    await vi.advanceTimersByTimeAsync(1000)
  }
  /** A body that a test sends. */
  function open() {
    const { readable, writable } = new IdentityTransformStream()
    const paced = pacedBody(
      readable,
      () => time,
      () => new Error('too slow'),
    )
    return { sender: writable.getWriter(), reader: paced.getReader() }
  }

  it('is the body, byte for byte, and leaves no timer behind', async () => {
    const { sender, reader } = open()
    void sender.write(new Uint8Array([1, 2]))
    expect((await reader.read()).value).toEqual(new Uint8Array([1, 2]))
    void sender.close()
    expect((await reader.read()).done).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('fails where it drips, and its sender is told', async () => {
    const { sender, reader } = open()
    void sender.write(new Uint8Array(100))
    await reader.read()
    const outcome = expect(reader.read()).rejects.toThrow('too slow')
    await pass(29_000)
    await pass(1_000)
    await outcome
    await expect(sender.write(new Uint8Array(1))).rejects.toThrow()
    expect(vi.getTimerCount()).toBe(0)
  })
})
