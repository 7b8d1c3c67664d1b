import type { Server } from 'node:http'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { serveDevnet } from '../../devnet/server.ts'
import { lostDeposits } from '../../worker/features/operate/list-lost-deposits.ts'
import { writeOffDeposit } from '../../worker/features/operate/write-off-deposit.ts'
import { createAddress } from '../../worker/features/payments/create-address.ts'
import { selectBalances, selectLedgerTail } from '../../worker/features/payments/sql/ledger.ts'
import { listen } from '../kit/loopback-server.ts'
import { serviceOnDaemon, USER } from '../node/writer/service-on-daemon.ts'

const DAY = 86_400_000

let server: Server
const devnet = createDevnet({ chains: ['Bitcoin'] })
const node = devnet.node('Bitcoin')
beforeAll(() => {
  for (const name of ['warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {})
  server = serveDevnet(devnet)
})
afterAll(() => {
  server.close()
  vi.restoreAllMocks()
})

it('a credited deposit that chain, mempool and wallet have lost can be written off after two weeks', async () => {
  const service = await serviceOnDaemon({ url: `http://devnet:devnet@127.0.0.1:${await listen(server)}/bitcoin` })
  await service.work()
  const { address } = await createAddress(service.context(), USER, 'Bitcoin')
  const txid = String(await service.call('customer', 'sendtoaddress', address, '0.5'))
  await service.confirm(3)
  const { blockhash } = Object(await service.call('service', 'gettransaction', txid))
  await service.call('', 'invalidateblock', blockhash)
  node.evict([txid])
  // As one that was made anew from its keys.
  for (const wallet of node.wallets.values()) wallet.forgetTransactions([txid])
  await service.confirm(9)

  const [{ vout } = {}] = service.d1.rows('SELECT vout FROM outputs WHERE txid = ?', txid)
  const id = `Bitcoin-${txid}-${vout}`
  const writeOff = async (days: number) =>
    await writeOffDeposit({ ...service.context(), now: Date.now() + days * DAY }, id, () => [])
  const isLost = async (days: number) =>
    JSON.parse(await lostDeposits({ ...service.context(), now: Date.now() + days * DAY }, undefined)).deposits[0].lost
  expect([(await selectBalances(service.db, USER)).Bitcoin, await isLost(13)]).toEqual([0n, false])
  await expect(writeOff(13)).rejects.toMatchObject({ code: 'deposit_not_lost' })
  expect(await isLost(15)).toBe(true)
  expect(await writeOff(15)).toMatchObject({ amount: 50_000_000n, loss: 0n })
  expect((await selectLedgerTail(service.db, USER, 'Bitcoin')).balance).toBe(0n)
})
