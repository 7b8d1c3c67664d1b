import { describe, expect, it } from 'vitest'
import { readCapped } from '../../../../worker/platform/flow/read-capped.ts'

class TooLong extends Error {}
const read = (message: Response) => readCapped(message, 10, () => new TooLong())
const stream = (parts: number[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const length of parts) controller.enqueue(new Uint8Array(length).fill(7))
      controller.close()
    },
  })

describe('a body with a limit', () => {
  it('is read whole up to the limit, whether it says its length or not', async () => {
    expect((await read(new Response(new Uint8Array(10)))).length).toBe(10)
    expect((await read(new Response(new Uint8Array(10), { headers: { 'Content-Length': '10' } }))).length).toBe(10)
    expect((await read(new Response(stream([4, 6])))).length).toBe(10)
    expect((await read(new Response(null))).length).toBe(0)
  })

  it('is what the caller means by too long, a byte past the limit', async () => {
    await expect(read(new Response(stream([4, 7])))).rejects.toBeInstanceOf(TooLong)
    await expect(read(new Response(new Uint8Array(11)))).rejects.toBeInstanceOf(TooLong)
  })

  it('is not read at all when it says that it is too long', async () => {
    let cancelled = false
    const body = new ReadableStream({
      cancel: () => {
        cancelled = true
      },
    })
    const long = new Response(body, { headers: { 'Content-Length': '11' } })
    await expect(read(long)).rejects.toBeInstanceOf(TooLong)
    expect(cancelled).toBe(true)
  })

  it('is counted where its length is that of what was compressed, and no more is read past the limit', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(4))
      },
    })
    const bomb = new Response(body, { headers: { 'Content-Length': '5', 'Content-Encoding': 'x' } })
    await expect(read(bomb)).rejects.toBeInstanceOf(TooLong)
    expect(pulled).toBeLessThan(8)
  })
})
