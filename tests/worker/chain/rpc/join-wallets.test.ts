import { describe, expect, it } from 'vitest'
import { joinWallets } from '../../../../worker/chain/rpc/join-wallets.ts'
import type { RpcCall, RpcOutcome } from '../../../../worker/chain/rpc/rpc-transport.ts'

/** A wallet that answers so, and notes what it was asked. */
function wallet(answers: Record<string, RpcOutcome>, asked: string[] = []) {
  return async (calls: readonly RpcCall[]) =>
    calls.map(({ method }) => {
      asked.push(method)
      return answers[method] ?? { error: { code: -32601, message: 'Method not found' } }
    })
}
const info = (fields: Record<string, unknown>): Record<string, RpcOutcome> => ({ getwalletinfo: { result: fields } })
const WATCHED = { txcount: '2', scanning: false, private_keys_enabled: false, keypoolsize: '9', descriptors: false }

describe('two wallets as one', () => {
  const ask = async (watch: Record<string, RpcOutcome>) => {
    const hot = info({ txcount: '3', scanning: false, unlocked_until: '0', keypoolsize: '4000' })
    return await joinWallets(wallet(hot), wallet(watch))([{ method: 'getwalletinfo', params: [] }])
  }

  it('count the transactions of both, and have the keys ahead of the one whose addresses are given out', async () => {
    const result = { txcount: '5', scanning: false, unlocked_until: '0', keypoolsize: '9', descriptors: false }
    expect(await ask(info(WATCHED))).toEqual([{ result }])
  })

  it('search for more while either does', async () => {
    const scanning = { duration: '1', progress: '0.5' }
    expect(await ask(info({ ...WATCHED, scanning }))).toMatchObject([{ result: { scanning } }])
  })

  it('are no usable wallet where the one to watch has private keys, does not say so, or is not there', async () => {
    const refused = { error: { code: -4, message: 'the watch wallet has private keys' } }
    expect(await ask(info({ ...WATCHED, private_keys_enabled: true }))).toEqual([refused])
    expect(await ask(info({ ...WATCHED, private_keys_enabled: undefined }))).toEqual([refused])
    const gone = { getwalletinfo: { error: { code: -18, message: 'Requested wallet does not exist' } } }
    const named = { error: { code: -18, message: 'the watch wallet: Requested wallet does not exist' } }
    expect(await ask(gone)).toEqual([named])
  })

  it('sign, pay and give change from the one with keys alone, in the order that was asked', async () => {
    const [hot, watch]: [string[], string[]] = [[], []]
    const methods = [
      'getrawchangeaddress',
      'getnewaddress',
      'listunspent',
      'gettransaction',
      'getbalance',
      'lockunspent',
    ]
    const named = (name: string) =>
      Object.fromEntries(methods.map((method) => [method, { result: `${name} ${method}` }]))
    const joined = joinWallets(wallet(named('hot'), hot), wallet(named('watch'), watch))
    const outcomes = await joined(methods.map((method) => ({ method, params: [] })))
    expect(watch).toEqual(['getnewaddress', 'gettransaction'])
    expect(hot).toEqual(methods.filter((method) => method !== 'getnewaddress'))
    expect(outcomes).toEqual(
      methods.map((method) => ({ result: `${method === 'getnewaddress' ? 'watch' : 'hot'} ${method}` })),
    )
  })
})
