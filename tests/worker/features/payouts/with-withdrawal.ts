import { env } from 'cloudflare:test'
import { signIn } from '../../sign-in.ts'
import type { useDevnet } from '../../use-devnet.ts'
import { callApi } from '../items/api.ts'
import { newCustomer } from '../payments/customer.ts'
import { readAnswer } from '../payments/pay-for-items.ts'

/** An account with half a coin that has asked for a fifth of one, and an operator. */
export async function withWithdrawal(chain: ReturnType<typeof useDevnet>) {
  const { userId, api, balance, withdraw, withdrawal } = await newCustomer(chain)
  const { to: address, id, fee } = await withdraw('0.2')
  const operator = callApi((await signIn('admin')).headers)
  const decide = async (act: string) =>
    await readAnswer(await operator.sendJson('POST', `/operate/withdrawal/${id}`, { act, reason: 'a test' }))
  const cancel = async (of = api) => await readAnswer(await of.send('DELETE', `/withdrawal/${id}`))
  const show = () => withdrawal(id)
  const events = async () => {
    const { results } = await env.DB.prepare('SELECT type FROM events WHERE user_id = ? AND subject = ? ORDER BY seq')
      .bind(userId, id)
      .all<{ type: string }>()
    return results.map(({ type }) => type)
  }
  return { userId, api, address, id, decide, cancel, show, balance, events, fee }
}
