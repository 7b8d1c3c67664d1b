import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningWorker } from './start-worker.ts'

export const PASSWORD = 'Correct1horse'

const MAIL_WITHIN_MS = 60_000

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** A service, and how it is reached where that is not by its address. */
interface Service extends Pick<RunningWorker, 'url'> {
  chains: Pick<RunningWorker['chains'], 'devnet'>
  fetch?: SendForm
}

type SendForm = (
  url: string,
  init: { method: string; headers: Record<string, string>; body: string },
) => Promise<{ status: number; text(): Promise<string> }>

/** An account whose address is verified, by the link of the mail; returns an access token. */
export async function signUp(worker: Service, email: string): Promise<string> {
  const { fetch: send = fetch } = worker
  const account = JSON.stringify({ email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' })
  await send(`${worker.url}/v0/user`, { method: 'POST', headers: JSON_TYPE, body: account })
  const { mails } = worker.chains.devnet.outbox
  const token = await tokenOfMail(mails, email)
  const body = new URLSearchParams({ token, password: PASSWORD }).toString()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const verified = await send(`${worker.url}/v0/user/verify`, { method: 'POST', headers, body })
  if (verified.status !== 200) throw new Error(`the link was answered ${verified.status}`)
  return await logIn(worker.url, email, send)
}

async function tokenOfMail(mails: readonly { to: string; text: string }[], email: string): Promise<string> {
  for (const until = Date.now() + MAIL_WITHIN_MS; Date.now() < until; await sleep(50)) {
    const [, token] = /verify\?token=(\S+)/.exec(mails.find(({ to }) => to === email)?.text ?? '') ?? []
    if (token !== undefined) return decodeURIComponent(token)
  }
  throw new Error('no mail yet')
}

/** An access token of an account. */
export async function logIn(api: string, email: string, send: SendForm = fetch): Promise<string> {
  const body = JSON.stringify({ email, password: PASSWORD })
  const answer = await send(`${api}/v0/token`, { method: 'POST', headers: JSON_TYPE, body })
  const { accessToken }: { accessToken: string } = JSON.parse(await answer.text())
  return accessToken
}
