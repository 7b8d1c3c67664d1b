import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SignedPsbt } from '../../contract/operate.ts'
import { createDevnet } from '../../devnet/create-devnet.ts'
import { serveDevnet } from '../../devnet/server.ts'
import { listPsbts } from '../../worker/features/cold/list-psbts.ts'
import { returnPsbt } from '../../worker/features/cold/return-psbt.ts'
import { createAddress } from '../../worker/features/payments/create-address.ts'
import { hasPayoutRecord } from '../../worker/features/wallet/payout-records.ts'
import { createWithdrawal } from '../../worker/features/withdrawals/create-withdrawal.ts'
import { listen } from '../kit/loopback-server.ts'
import { serviceOnDaemon, USER } from '../node/writer/service-on-daemon.ts'
import { type Unsigned, useColdAddress } from './open-cold-address.ts'

const CRASH = 'the isolate ended here'
/** More operations than any withdrawal takes from when it is asked for to its confirmation. */
const MOST = 400
/** Each of them takes half a second: with TEST_LARGE=1 all are tried. */
const EACH = process.env.TEST_LARGE ? 1 : 13

/** A chain with coins whose keys are offline, and what signs what is handed out of them there. */
interface Subject {
  blockchain: 'Bitcoin' | 'Dogecoin'
  /** Confirmations after which a payout is final. */
  depth: number
  open(): Promise<Awaited<ReturnType<typeof serviceOnDaemon>>>
  fund(service: Awaited<ReturnType<typeof serviceOnDaemon>>): Promise<void>
  /** Signs what was handed out; `undefined` where the signer sends it without the service. */
  sign(service: Awaited<ReturnType<typeof serviceOnDaemon>>, listed: Listed): Promise<SignedPsbt | undefined>
}

interface Listed extends Unsigned {
  id: string
  psbt: string
}

function watchedWallet(): Subject {
  const server = serveDevnet(createDevnet({ chains: ['Bitcoin'] }))
  afterAll(() => server.close())
  return {
    blockchain: 'Bitcoin',
    depth: 3,
    async open() {
      const url = `http://devnet:devnet@127.0.0.1:${await listen(server)}/bitcoin`
      return await serviceOnDaemon({ url }, async (call) => {
        await call('', 'createwallet', 'signer')
        await call('', 'devwatchwallet', 'cold', 'signer')
      })
    },
    async sign(service, { psbt }) {
      return { psbt: String(Object(await service.call('signer', 'walletprocesspsbt', psbt)).psbt) }
    },
    // Deposits go there.
    fund: async () => {},
  }
}

function watchedAddress(): Subject {
  const chain = useColdAddress()
  return {
    ...addressSubject(chain),
    sign: async (_, listed) => ({ hex: chain.sign(listed) }),
  }
}

/** Its signer sends it without the service. */
function sentElsewhere(): Subject {
  const chain = useColdAddress()
  return {
    ...addressSubject(chain),
    async sign(service, listed) {
      await service.call('customer', 'sendrawtransaction', chain.signAgain(listed))
      return undefined
    },
  }
}

function addressSubject(chain: ReturnType<typeof useColdAddress>): Omit<Subject, 'sign'> {
  return {
    blockchain: 'Dogecoin',
    depth: 7,
    open: chain.open,
    async fund(service) {
      for (let coin = 0; coin < 8; coin++) await service.call('', 'sendtoaddress', chain.cold, '5')
    },
  }
}

describe.each([
  ['wallet', watchedWallet],
  ['address', watchedAddress],
  ['address, sent elsewhere', sentElsewhere],
])(
  'a withdrawal from a cold %s, whatever operation of the database or the bucket is the last of its isolate',
  (_, use) => {
    const { blockchain, depth, open, sign, fund } = use()
    let service: Awaited<ReturnType<typeof serviceOnDaemon>>
    beforeAll(async () => {
      service = await open()
      await service.work()
      for (let deposit = 0; deposit < 8; deposit++) {
        const { address: to } = await createAddress({ ...service.context(), now: deposit * 60_000 }, USER, blockchain)
        await service.call('customer', 'sendtoaddress', to, '5')
      }
      await fund(service)
      await service.confirm(7)
    })

    /** Ends everything at the operation of the database or the bucket numbered so, before it is done or after. */
    function crashAt(operation: number, after: boolean): () => number {
      let count = 0
      const around = async <T>(_: string, effect: () => T): Promise<T> => {
        count++
        // Nothing of a dead isolate is done any more.
        if (count > operation || (count === operation && !after)) throw new Error(CRASH)
        const result = await effect()
        if (count === operation) throw new Error(CRASH)
        return result
      }
      service.d1.around = around
      service.bucket.around = around
      return () => {
        const plain = async <T>(_: string, effect: () => T): Promise<T> => effect()
        service.d1.around = plain
        service.bucket.around = plain
        return count
      }
    }

    /** Works until it is done or crashes; what is not the crash is a fault of the code. */
    async function untilCrash(work: () => Promise<unknown>): Promise<void> {
      await work().catch((error: unknown) => {
        if (!String(error).includes(CRASH)) throw error
      })
    }

    async function listed(): Promise<Listed[]> {
      return JSON.parse(await listPsbts(service.db)).psbts
    }

    async function giveBack(): Promise<void> {
      for (const one of await listed()) {
        const signed = await sign(service, one)
        if (signed) await returnPsbt(service.context(), one.id, signed, () => [])
      }
    }

    it.each([false, true])('is paid once, and never shown without a record of it (after: %s)', async (after) => {
      const address = String(await service.call('customer', 'getnewaddress'))
      let paid = 0
      for (let operation = 1; operation < MOST; operation += EACH) {
        const order = { blockchain, address, amount: 1_000_000n, maxFee: undefined }
        const { id } = JSON.parse(await createWithdrawal(service.context(), USER, order))
        const stop = crashAt(operation, after)
        await untilCrash(async () => {
          await service.work()
          await giveBack()
          await service.work()
        })
        const used = stop()
        for (const one of await listed()) {
          expect(await hasPayoutRecord(service.bucket, blockchain, one.id), `operation ${operation}`).toBe(true)
          const numbers = service.d1.rows('SELECT number FROM payout_numbers')
          expect(numbers, `operation ${operation}`).toEqual([{ number: await service.numbers.read() }])
        }
        await service.work()
        await giveBack()
        await service.work()
        await service.mine(depth)
        await service.work()
        paid++
        const [state] = service.d1.rows('SELECT state FROM withdrawals WHERE id = ?', id)
        expect(state, `operation ${operation}`).toEqual({ state: 'confirmed' })
        const got = Math.round(Number(await service.call('customer', 'getreceivedbyaddress', address, 0)) * 100)
        expect(got, `operation ${operation}`).toBe(paid)
        if (used < operation) return
      }
      throw new Error('it takes more operations than are tried')
    })
  },
)
