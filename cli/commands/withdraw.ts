import { hash, randomUUID } from 'node:crypto'
import { readerOf } from '../../client/answers/read-answer.ts'
import { isRejected } from '../../client/http/api-error.ts'
import { isRecord } from '../../client/http/parse-json.ts'
import { fileStore } from '../../client/stores/file-store.ts'
import { userFolders } from '../../client/stores/user-folders.ts'
import { formatAmount, parseAmount } from '../../protocol/amount.ts'
import { isBlockchain } from '../../protocol/chains.ts'
import { openAccount } from '../account/open-account.ts'
import { sendWithRecentLogin } from '../account/send-with-recent-login.ts'
import { readCoins } from '../pay/confirm-price.ts'
import { coinName, targetName } from '../pay/target-name.ts'
import { askYes, canAsk } from '../run/ask.ts'
import { CommandError, usageError } from '../run/command-error.ts'
import { commandLine } from '../run/command-line.ts'
import type { Context } from '../run/context.ts'
import { EXIT } from '../run/exit-codes.ts'
import type { Outcome } from '../run/outcome.ts'
import { anyOf, CHAINS } from '../table/options.ts'

const readWithdrawal = readerOf('Withdrawal')

/** The service remembers an `Idempotency-Key` for 24 hours; one hour less, in ms. */
const KEY_LIVES_MS = 23 * 3_600_000

export async function run(context: Context): Promise<Outcome> {
  const { line, signal, env, now, keep } = context
  const chain = line.value('chain')
  if (chain === undefined) throw usageError('The chain is missing.', `Give --chain ${anyOf(CHAINS)}.`)
  const blockchain = targetName(chain)
  if (!isBlockchain(blockchain)) throw usageError(`--chain must be ${anyOf(CHAINS)}.`)
  const coin = coinName(blockchain)
  const amount = formatAmount(readCoins(line.word(0), 'The amount'))
  if (amount === '0') throw usageError('The amount must be more than 0.')
  const address = line.word(1)
  const maxFee =
    line.value('max-fee') === undefined ? undefined : formatAmount(readCoins(line.value('max-fee') ?? '', '--max-fee'))
  const dryRun = line.has('dry-run')
  if (!dryRun && !canAsk(context) && (maxFee === undefined || !line.has('yes'))) {
    throw usageError('This moves money, and there is no terminal to confirm it.', 'Give --max-fee and --yes.')
  }
  const account = await openAccount(context)
  const fee = await account.client.withdrawals.fee(blockchain, { signal })
  const order = { blockchain, address, amount, maxFee: maxFee ?? fee }
  const store = fileStore(userFolders(env).state, { anew: line.has('new') })
  const name = hash('sha256', JSON.stringify(['withdraw', account.api.origin, blockchain, address, amount]))
  if (dryRun) {
    const before = line.has('new') ? [] : await store.read(name)
    const id = readSent(before.at(-1))
    const state = id !== undefined ? 'sent' : readTry(before[0]) ? 'begun' : 'none'
    const result = { dryRun: true, ...order, fee, id: id ?? null, state, txid: null }
    return { result, text: [`${WOULD[state]} ${amount} ${coin} to ${address}, fee about ${fee} ${coin}`] }
  }
  if (maxFee !== undefined && parseAmount(fee) > parseAmount(maxFee)) {
    throw new CommandError(
      EXIT.tooDear,
      'too_dear',
      `The fee is ${fee} ${coin}, more than the ${maxFee} that --max-fee allows.`,
    )
  }
  if (
    !line.has('yes') &&
    !(await askYes(context, `Send ${amount} ${coin} to ${address}, fee ${fee} ${coin}?`, 'Give --yes.'))
  ) {
    throw usageError('Nothing was sent.')
  }
  keep(`Nothing is sent twice. To resume: ${commandLine(context)}`)
  const unlock = await store.lock(name)
  try {
    const records = line.has('new') ? [] : await store.read(name)
    const before = readTry(records[0])
    const sent = readSent(records.at(-1))
    if (sent !== undefined) throw sentAlready(sent)
    if (before && now() - before.begunAt > KEY_LIVES_MS) throw tooOld(before.begunAt)
    if (!before) await store.remove(name)
    const attempt = before ?? { key: randomUUID(), begunAt: now(), maxFee: order.maxFee }
    if (!before) await store.append(name, JSON.stringify(attempt))
    // The body must be the same for the same key, or the service rejects it.
    const json = { ...order, maxFee: attempt.maxFee }
    const request = { method: 'POST', path: '/v0/withdrawal', json, idempotencyKey: attempt.key } as const
    const withdrawal = readWithdrawal(await sendWithRecentLogin(context, account, request))
    await store.append(name, JSON.stringify({ sent: withdrawal.id }))
    const result = {
      dryRun: false,
      ...json,
      fee: withdrawal.fee ?? null,
      id: withdrawal.id,
      state: withdrawal.state,
      txid: withdrawal.txid ?? null,
    }
    return { result, text: [`${withdrawal.state}  ${amount} ${coin} to ${address}`, `id  ${withdrawal.id}`] }
  } catch (error) {
    if (isRejected(error)) {
      // Nothing was done, so the next attempt needs a new key.
      await store.remove(name)
      if (error.status === 409)
        throw new CommandError(EXIT.tooDear, error.code, error.message, {
          ...(error.requestId && { requestId: error.requestId }),
        })
    }
    throw error
  } finally {
    await unlock()
  }
}

/** The sentence of a dry run, by what an earlier run of the same command has done. */
const WOULD = {
  none: 'would send',
  begun: 'would resume sending',
  sent: 'would send nothing; it was already sent:',
}

function readTry(record: string | undefined): { key: string; begunAt: number; maxFee: string } | undefined {
  try {
    const value: unknown = JSON.parse(record ?? '')
    if (!isRecord(value)) return undefined
    const { key, begunAt, maxFee } = value
    if (typeof key === 'string' && typeof begunAt === 'number' && typeof maxFee === 'string')
      return { key, begunAt, maxFee }
  } catch {
    // The record was cut off before anything was sent.
  }
  return undefined
}

function readSent(record: string | undefined): string | undefined {
  try {
    const value: unknown = JSON.parse(record ?? '')
    return isRecord(value) && typeof value.sent === 'string' ? value.sent : undefined
  } catch {
    return undefined
  }
}

function sentAlready(id: string): CommandError {
  return new CommandError(EXIT.refused, 'sent_already', `The same withdrawal was sent before (${id}).`, {
    hint: 'Nothing was sent now. To send it a second time, use --new.',
  })
}

function tooOld(begunAt: number): CommandError {
  const day = new Date(begunAt).toISOString().slice(0, 10)
  return new CommandError(
    EXIT.refused,
    'begun_long_ago',
    `The same withdrawal was begun on ${day}, and the service no longer knows whether it was sent.`,
    {
      hint: 'Check the withdrawals in the console. If it is missing there, use --new.',
    },
  )
}
