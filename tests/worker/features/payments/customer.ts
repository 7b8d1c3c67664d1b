import type { Blockchain } from '../../../../protocol/chains.ts'
import { signIn } from '../../sign-in.ts'
import type { useDevnet } from '../../use-devnet.ts'
import { type Api, callApi } from '../items/api.ts'
import { type Answer, readAnswer } from './pay-for-items.ts'

type Chain = ReturnType<typeof useDevnet>

/** What the API answers to a GET. */
export async function get(api: Api, path: string): Promise<Answer> {
  return await readAnswer(await api.send('GET', path))
}

/** Pays coins to a deposit address of an account; no block holds that yet. Returns the txid. */
export async function payDeposit(
  chain: Chain,
  api: Api,
  coins: string,
  blockchain: Blockchain = 'Bitcoin',
): Promise<string> {
  const { address } = await get(api, `/payment/${blockchain}`)
  return chain.pay(blockchain, address, coins)
}

/** What an account may spend of a chain, in coins. */
export async function balanceOf(api: Api, blockchain: Blockchain = 'Bitcoin'): Promise<number> {
  return Number(Object((await get(api, '/user')).balances)[blockchain])
}

/** POST /v0/withdrawal, of Bitcoin unless the order says otherwise. */
export async function askWithdrawal(
  api: Api,
  order: Record<string, unknown>,
  key: string = crypto.randomUUID(),
): Promise<Answer> {
  const headers = { 'Idempotency-Key': key }
  return await readAnswer(await api.sendJson('POST', '/withdrawal', { blockchain: 'Bitcoin', ...order }, headers))
}

/** GET /v0/withdrawal, the newest first. */
export async function listWithdrawals(api: Api): Promise<Record<string, unknown>[]> {
  const { withdrawals } = await get(api, '/withdrawal')
  return Array.isArray(withdrawals) ? withdrawals : []
}

/** A new account with a deposit that is credited, and what it does with it. */
export async function newCustomer(
  chain: Chain,
  {
    coins = '0.5',
    blockchain = 'Bitcoin',
    blocks = 2,
  }: { coins?: string; blockchain?: Blockchain; blocks?: number } = {},
) {
  const account = await signIn()
  const api = callApi(account.headers)
  const deposit = await payDeposit(chain, api, coins, blockchain)
  await chain.confirm(blockchain, blocks)
  return {
    ...account,
    api,
    /** The txid of the deposit. */
    deposit,
    balance: () => balanceOf(api, blockchain),
    withdrawals: () => listWithdrawals(api),
    /** One of its withdrawals. */
    withdrawal: async (id: string) => (await listWithdrawals(api)).find((one) => one.id === id),
    /** Asks to have coins sent to a new address of a wallet that is not the service's. */
    async withdraw(amount: string) {
      const to = chain.call(blockchain, 'getnewaddress')
      const { id, fee } = await askWithdrawal(api, { blockchain, address: to, amount })
      return { to, id: String(id), fee: Number(fee) }
    },
  }
}
