import { vi } from 'vitest'
import type { RunningWorker } from './start-worker.ts'

export const PASSWORD = 'Correct1horse'

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** An account whose address is verified, by the link of the mail; returns an access token. */
export async function signUp(worker: Pick<RunningWorker, 'url' | 'chains'>, email: string): Promise<string> {
  const account = JSON.stringify({ email, password: PASSWORD, firstName: 'Ada', lastName: 'Lovelace' })
  await fetch(`${worker.url}/v0/user`, { method: 'POST', headers: JSON_TYPE, body: account })
  const { mails } = worker.chains.devnet.outbox
  const token = await vi.waitFor(() => {
    const text = mails.find(({ to }) => to === email)?.text ?? ''
    const [, token] = /verify\?token=(\S+)/.exec(text) ?? []
    if (token === undefined) throw new Error('no mail yet')
    return decodeURIComponent(token)
  }, 60_000)
  const form = new URLSearchParams({ token, password: PASSWORD })
  const verified = await fetch(`${worker.url}/v0/user/verify`, { method: 'POST', body: form })
  if (verified.status !== 200) throw new Error(`the link was answered ${verified.status}`)
  return await logIn(worker.url, email)
}

/** An access token of an account. */
export async function logIn(api: string, email: string): Promise<string> {
  const body = JSON.stringify({ email, password: PASSWORD })
  const answer = await fetch(`${api}/v0/token`, { method: 'POST', headers: JSON_TYPE, body })
  const { accessToken }: { accessToken: string } = JSON.parse(await answer.text())
  return accessToken
}
