import type { IncomingMessage } from 'node:http'
import type { ConsoleServer } from './console-server.ts'
import { coins } from './describe-fake.ts'
import type { FakeItem } from './fake-state.ts'

/** The orders of /v0/order: their items are listed and deleted together. */
export function answerOrders(
  { state }: ConsoleServer,
  request: IncomingMessage,
  path: string,
  send: (status: number, body?: unknown) => void,
  problem: (status: number, code: string, message: string) => void,
): void {
  const items = [...state.items.values()]
  const orders = Map.groupBy(
    items.filter(({ order }) => order !== undefined),
    ({ order }) => order ?? '',
  )
  const describe = (id: string, files: readonly FakeItem[]) => ({
    id,
    name: files[0]?.name,
    blockchain: files[0]?.blockchain,
    createdAt: files[0]?.createdAt,
    counts: Object.fromEntries(
      ['200', '201', '202', '402', '409'].map((status) => [
        status,
        files.filter((file) => file.status.startsWith(status)).length,
      ]),
    ),
    payments: [...state.payments.values()]
      .filter(({ ids }) => ids.some((each) => files.some((file) => file.id === each)))
      .map(({ address, amount, state, expiresAt, blockchain }) => ({
        address,
        paidIn: blockchain === 'IPFS' ? 'Nativecoin' : blockchain,
        state,
        amount: coins(amount),
        expiresAt,
      })),
  })
  const id = path.split('/')[3]
  if (id === undefined) {
    send(200, { orders: [...orders].reverse().map(([each, files]) => describe(each, files)) })
    return
  }
  const files = orders.get(id)
  if (!files) {
    problem(404, 'not_found', 'There is no such order.')
    return
  }
  if (request.method === 'DELETE') {
    for (const file of files) if (/^(201|402)/.test(file.status)) state.items.delete(file.id)
    send(204)
    return
  }
  send(200, describe(id, files))
}
