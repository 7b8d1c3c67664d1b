import type { Bench } from '../bench.ts'
import { rawRequest } from '../raw-request.ts'
import { plainRow, type Row } from '../row.ts'
import { signIn } from '../sign-in.ts'
import { startProduct } from '../start-product.ts'

const BODY = JSON.stringify({ name: 'cat.png', mimetype: 'image/png', blockchain: 'Nativecoin', size: 2_500_000 })

/** The first item that an isolate creates; the request validators are loaded for it. */
export async function measureFirstItem(bench: Bench): Promise<Row[]> {
  let product = await startProduct(bench)
  const rounds = bench.quick ? 3 : 11
  const times: number[] = []
  try {
    const { accessToken } = await signIn(product)
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' }
    for (let round = 0; round < rounds; round++) {
      bench.progress(`first item: round ${round + 1} of ${rounds}`)
      product = await product.restart()
      // The modules that are loaded at the start are evaluated by then.
      await rawRequest(product.port, { method: 'GET', path: '/v0/nothing', headers: {} })
      const begun = performance.now()
      const { status } = await rawRequest(product.port, { method: 'POST', path: '/v0/item', headers, body: BODY })
      times.push(performance.now() - begun)
      if (status !== 201) throw new Error(`POST /v0/item: ${status}`)
    }
  } finally {
    await product.close()
  }
  return [
    plainRow(
      {
        id: 'items/first',
        group: 'Storing',
        what: 'the first POST /v0/item of a fresh isolate',
        unit: 'ms',
        better: 'lower',
        target: 36.4,
        note: 'after a request that has evaluated what the Worker starts with; with D1 opened for the first time; 26.4 ms on the same machine before schemas checked requests',
      },
      times,
    ),
  ]
}
