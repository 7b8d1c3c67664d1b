import { expect, it } from 'vitest'
import { toHex } from '../../protocol/bytes.ts'
import { brotliOfZeros } from '../kit/brotli-of-zeros.ts'
import { startWorker } from '../kit/start-worker.ts'
import { storeBytes } from '../kit/write-content.ts'

const MIB = 1 << 20

// Each first in an isolate of its own: code that is not optimized yet uses more of the stack.
it.each([
  ['web', 200],
  ['web', 800],
  ['blob', 800],
  ['tx', 800],
])(
  'POST /v0/%s in a fresh isolate, of content that decodes to %i MiB, is refused only as a page',
  async (form, mib) => {
    const worker = await startWorker()
    try {
      const stored = await brotliOfZeros(mib * MIB)
      const txids = storeBytes(worker, 'Nativecoin', stored)
      const response = await fetch(`${worker.url}/v0/${form}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ blockchain: 'Nativecoin', txids }),
      })
      if (form === 'web') {
        expect(response.status).toBe(422)
        expect(await response.json()).toMatchObject({ code: 'content_too_large' })
        return
      }
      expect(response.status).toBe(200)
      if (form === 'blob') expect(await response.text()).toBe(toHex(stored))
      else await response.arrayBuffer()
    } finally {
      await worker.close()
    }
  },
)
