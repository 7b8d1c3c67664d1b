import { beforeAll, describe, expect, it } from 'vitest'
import { creditByHand } from '../../../worker/features/operate/credit-by-hand.ts'
import { readReconciliations } from '../../../worker/features/operate/reconcile.ts'
import { createAddress } from '../../../worker/features/payments/create-address.ts'
import { selectBalances } from '../../../worker/features/payments/sql/ledger.ts'
import { type CallWallet, serviceOnDaemon, USER } from './service-on-daemon.ts'

const COIN = 100_000_000n

/** A node with a wallet `signer`, and what makes a wallet `cold` of its addresses without their private keys. */
export interface ColdSubject {
  url: string
  watch(call: CallWallet): Promise<void>
}

/**
 * The service with a cold wallet: what customers pay goes to a wallet without private keys. A real daemon and the embedded node are held to
 * the same sentences.
 */
export function describeColdWallet(name: string, open: () => Promise<ColdSubject>): void {
  describe(`a service that customers pay to a cold wallet, on ${name}`, () => {
    let service: Awaited<ReturnType<typeof serviceOnDaemon>>

    beforeAll(async () => {
      const { url, watch } = await open()
      service = await serviceOnDaemon({ url }, async (call) => {
        await call('', 'createwallet', 'signer')
        await watch(call)
      })
      await service.work()
    })

    const balance = async () => (await selectBalances(service.db, USER)).Bitcoin
    const owns = async (wallet: string, address: string) => {
      const { ismine, iswatchonly } = Object(await service.call(wallet, 'getaddressinfo', address))
      return ismine || iswatchonly
    }

    it('writes what is paid there with the coins of the wallet with keys', async () => {
      await service.paidItem('11111111-1111-4111-8111-111111111111', 200)
      expect(await service.untilStored('11111111-1111-4111-8111-111111111111')).toBe(200)
      expect(await service.call('cold', 'listlockunspent')).toEqual([])
    })

    it('credits what is paid to an address of the wallet without keys', async () => {
      const { address } = await createAddress(service.context(), USER, 'Bitcoin')
      expect([await owns('cold', address), await owns('service', address)]).toEqual([true, false])
      await service.call('customer', 'sendtoaddress', address, '5')
      await service.confirm(3)
      expect(await balance()).toBe(5n * COIN)
    })

    it('still credits payments to older addresses, of the wallet with keys', async () => {
      const { address } = await createAddress(
        { ...service.context(), rpcOf: () => service.withoutWatch },
        USER,
        'Bitcoin',
      )
      expect(await owns('service', address)).toBe(true)
      const before = await balance()
      await service.call('customer', 'sendtoaddress', address, '1')
      await service.confirm(3)
      expect(await balance()).toBe((before ?? 0n) + COIN)
    })

    it('counts both wallets when it compares them with the ledger, and holds what both hold', async () => {
      const [found] = await readReconciliations(service.db, service.config, Date.now())
      const held = async (wallet: string) => Number(await service.call(wallet, 'getbalance'))
      expect(found?.wallet).toBe(found?.ledger)
      expect(found?.chain).toBe(found?.ledger)
      const both = (await held('cold')) + (await held('service'))
      expect(Number(found?.held) / Number(COIN)).toBeCloseTo(both, 6)
      expect(Number(found?.held) / Number(COIN)).toBeGreaterThan(await held('service'))
    })

    it('backs a credit with what the cold wallet holds as well', async () => {
      const [found] = await readReconciliations(service.db, service.config, Date.now())
      const amount = (found?.held ?? 0n) - (found?.owed ?? 0n) + 1n
      const credit = { account: USER, blockchain: 'Bitcoin' as const, amount, unbacked: false }
      await expect(creditByHand({ ...service.context(), record: () => [] }, credit)).rejects.toThrow('The wallet holds')
      const backed = { ...credit, amount: amount - 1n }
      await creditByHand({ ...service.context(), record: () => [] }, backed)
      await creditByHand({ ...service.context(), record: () => [] }, { ...backed, amount: -backed.amount })
    })

    it('finds whose an address is by its label after its database was restored to before that', async () => {
      const before = await balance()
      const { address } = await createAddress(service.context(), USER, 'Bitcoin')
      await service.db.prepare('DELETE FROM addresses WHERE address = ?').bind(address).run()
      await service.call('customer', 'sendtoaddress', address, '0.5')
      await service.confirm(3)
      expect(await balance()).toBe((before ?? 0n) + COIN / 2n)
    })

    it('lists what left the cold wallet without the service', async () => {
      const { compareSendsWhenDue } = await import('../../../worker/features/operate/compare-sends.ts')
      const { selectUnassigned } = await import('../../../worker/features/operate/sql/sends.ts')
      await compareSendsWhenDue(service.db, service.config, Date.now())
      const to = await service.call('customer', 'getnewaddress')
      const funded = Object(await service.call('cold', 'walletcreatefundedpsbt', [], [{ [String(to)]: '0.25' }]))
      const { psbt } = Object(await service.call('signer', 'walletprocesspsbt', funded.psbt))
      const { hex } = Object(await service.call('', 'finalizepsbt', psbt))
      const txid = await service.call('', 'sendrawtransaction', hex)
      await service.confirm(1)
      await compareSendsWhenDue(service.db, service.config, Date.now() + 3_600_001)
      expect(await selectUnassigned(service.db, 10)).toMatchObject([{ txid, amount: COIN / 4n }])
    })

    it('stops, and says why, while the wallet that it is to watch has private keys', async () => {
      const { Bitcoin } = service.config.chains
      const chains = { ...service.config.chains, Bitcoin: { ...Bitcoin, watch: 'signer' } }
      const { walletRpc } = await import('../../../worker/chain/rpc/wallet-rpc.ts')
      const rpc = walletRpc(chains.Bitcoin)
      const config = { ...service.config, chains }
      const wrong = { ...service.context(), config, rpcOf: () => rpc }
      await expect(createAddress(wrong, USER, 'Bitcoin')).rejects.toMatchObject({
        code: 'payment_unavailable',
        cause: 'the node has no usable wallet: the watch wallet has private keys',
      })
    })
  })
}
