import type { Config } from '../../platform/config/config.ts'

/** A mail for the providers' HTTP APIs, without its sender. */
export interface MailMessage {
  to: string
  subject: string
  text: string
  html: string
}

const TIMEOUT_MILLISECONDS = 10_000

/** Sends a mail to the provider at MAIL_URL. @throws {Error} when it was not accepted; the message holds no content. */
export async function postMail(message: MailMessage, mail: NonNullable<Config['mail']>): Promise<void> {
  const response = await fetch(mail.url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${mail.token}` },
    body: JSON.stringify({ from: mail.from, ...message }),
    // A redirect would carry the token and the link to somebody else.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
  })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`The mail provider answered ${response.status}.`)
}
