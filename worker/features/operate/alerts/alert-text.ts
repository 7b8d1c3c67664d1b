import { SIGNS, type SignName } from './sign-table.ts'

/** What is told of a sign. */
export interface AlertMessage {
  state: 'raised' | 'over'
  name: SignName
  subject: string
  detail: string
}

/** A message in words, its lines: what, why, and what to do. Pure. */
export function alertLines({ state, name, subject, detail }: AlertMessage): string[] {
  const { when, act } = SIGNS[name]
  const about = subject === '' ? name : `${name} ${subject}`
  if (state === 'over') return [`Over: ${about}.`]
  return [`Raised: ${about}: ${detail}.`, `It is raised when ${when}.`, `What to do: ${act}.`]
}

/**
 * The body of a request to `ALERT_WEBHOOK`: `text` is what Slack, Mattermost and Google Chat show, `content` what Discord does,
 * and `alerts` is for programs. Pure.
 */
export function webhookBody(service: string, messages: readonly AlertMessage[]): string {
  const text = [service, ...messages.flatMap(alertLines)].join('\n').slice(0, 1900)
  const alerts = messages.map((message) => ({ ...message, act: SIGNS[message.name].act }))
  return JSON.stringify({ text, content: text, service, alerts })
}
