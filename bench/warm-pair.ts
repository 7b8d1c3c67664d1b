import type { Bench } from './bench.ts'
import type { HttpRequest } from './load/load-generator.ts'
import { type RawAnswer, rawRequest } from './raw-request.ts'
import { type Bare, startBare } from './start-bare.ts'
import { type Product, startProduct } from './start-product.ts'

/** A request that is answered from memory the second time. */
export interface WarmRequest {
  id: string
  status: number
  request: HttpRequest
}

/** The product with every response in memory, and bare Workers with the same responses. */
export interface WarmPair {
  product: Product
  bare: Bare
}

/** On Cloudflare, the place of a client's own Accept-Encoding; workerd reads `request.cf` from this header. */
export function clientHeaders(acceptEncoding: string): Record<string, string> {
  return { 'Accept-Encoding': acceptEncoding, 'MF-CF-Blob': JSON.stringify({ clientAcceptEncoding: acceptEncoding }) }
}

/** The name by which the bare Worker of a case answers. */
export function portName(id: string): string {
  return id.replaceAll('/', '-')
}

/**
 * Starts both, has each selected case measured, and stops them.
 * @throws if a response is not from memory, or if the two differ
 */
export async function withWarmPair<Case extends WarmRequest, Result>(
  bench: Bench,
  prepare: (product: Product) => Promise<Case[]>,
  measure: (warm: Case, pair: WarmPair) => Promise<Result>,
): Promise<Result[]> {
  const product = await startProduct(bench)
  let bare: Bare | undefined
  try {
    const cases = (await prepare(product)).filter(({ id }) => bench.isSelected(id))
    if (cases.length === 0) return []
    const answers = new Map<string, RawAnswer>()
    for (const { id, status, request } of cases) {
      for (let turn = 0; turn < 3; turn++) {
        const answer = await rawRequest(product.port, request)
        if (answer.status !== status) throw new Error(`${id}: expected ${status}, got ${answer.status}: ${answer.body}`)
        answers.set(portName(id), answer)
      }
      const timing = answers.get(portName(id))?.headers['server-timing']
      if (timing !== 'cache;desc=memory') throw new Error(`${id}: not from memory: ${timing}`)
    }
    bare = await startBare(answers, [product.process])
    for (const warm of cases) await requireSameAnswer(warm, answers, bare)
    const results: Result[] = []
    for (const warm of cases) results.push(await measure(warm, { product, bare }))
    return results
  } finally {
    await bare?.close()
    await product.close()
  }
}

async function requireSameAnswer(
  { id, request }: WarmRequest,
  answers: Map<string, RawAnswer>,
  bare: Bare,
): Promise<void> {
  const ours = answers.get(portName(id))
  const theirs = await rawRequest(bare.port(portName(id)), request)
  const headers = (answer: RawAnswer | undefined) => JSON.stringify(Object.entries(answer?.headers ?? {}).sort())
  if (!ours?.body.equals(theirs.body) || ours.status !== theirs.status || headers(ours) !== headers(theirs)) {
    throw new Error(`${id}: the bare Worker answers otherwise: ${headers(ours)} and ${headers(theirs)}`)
  }
}
