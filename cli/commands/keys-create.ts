import { Fields } from '../../client/http/parse-json.ts'
import { AmountError, formatAmount, parseAmount } from '../../protocol/amount.ts'
import { openAccount } from '../account/open-account.ts'
import { sendWithRecentLogin } from '../account/send-with-recent-login.ts'
import { targetName } from '../pay/target-name.ts'
import { usageError } from '../run/command-error.ts'
import type { Context } from '../run/context.ts'
import type { Outcome } from '../run/outcome.ts'
import { readDays } from './login.ts'

const DAY_SECONDS = 86_400

export async function run(context: Context): Promise<Outcome> {
  const { line, now } = context
  const scopes = line.values('scope').map((scope) => scope.toLowerCase())
  if (scopes.length === 0) throw usageError('A key needs at least one --scope: read, store, pay or sites.')
  const limits = Object.fromEntries(line.values('limit').map(readLimit))
  if (scopes.includes('pay') && line.values('limit').length === 0) {
    throw usageError('A key that may pay needs at least one --limit, such as --limit nativecoin=0.5.')
  }
  const expiresAt = Math.floor(now() / 1000) + readDays(line.value('days'), 90) * DAY_SECONDS
  const account = await openAccount(context)
  const json = {
    name: line.word(0),
    scopes: [...new Set(scopes)],
    expiresAt,
    ...(line.values('limit').length > 0 && { spending: limits }),
  }
  const body = await sendWithRecentLogin(context, account, { method: 'POST', path: '/v0/user/keys', json })
  const answer = new Fields(body, 'The key')
  const id = answer.string('id')
  const key = answer.string('key')
  context.output.note('The key is shown only now. Whoever has it can use the account within its scopes.')
  return { result: { id, key, name: line.word(0), scopes, expiresAt }, text: [key] }
}

/** `nativecoin=0.5`: the most coins of a chain in one day. */
function readLimit(text: string): [string, string] {
  const [chain = '', coins = ''] = text.split('=')
  try {
    return [targetName(chain), formatAmount(parseAmount(coins))]
  } catch (error) {
    if (!(error instanceof AmountError)) throw error
    throw usageError(`--limit ${JSON.stringify(text)} is not a limit. A limit looks like nativecoin=0.5.`)
  }
}
