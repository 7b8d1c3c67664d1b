import { openAccount } from '../account/open-account.ts'
import { coinName, targetName } from '../pay/target-name.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'

export async function run(context: Context): Promise<Outcome> {
  const { line, signal } = context
  const { client } = await openAccount(context)
  const chain = line.value('deposit')
  if (chain !== undefined) {
    const name = targetName(chain)
    const address = await client.payments.address(name, { signal })
    const { minDeposits } = await client.account.get({ signal })
    const minDeposit = minDeposits[name]
    if (minDeposit !== undefined)
      context.output.note(`Deposits are credited as soon as their sum reaches ${minDeposit} ${coinName(name)}.`)
    return { result: { chain: name, address, minDeposit: minDeposit ?? null }, text: [address] }
  }
  const { balances, addresses } = await client.account.get({ signal })
  const result = {
    balances,
    addresses: Object.fromEntries(Object.entries(addresses).map(([name, address]) => [name, address ?? null])),
  }
  return {
    result,
    text: Object.entries(balances).map(([name, coins]) => `${name.padEnd(11)} ${coins} ${coinName(name)}`),
  }
}
