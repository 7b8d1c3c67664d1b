import { html, raw } from 'hono/html'
import { inWords, LIFETIMES } from '../../../contract/lifetimes.ts'
import type { MailTemplate } from '../../platform/records/mail-queue.ts'
import type { MailMessage } from './post-mail.ts'

interface Wording {
  subject: string
  /** Paragraphs before the link and after it. No name from a sign-up is among them: anybody may write those. */
  before: string[]
  after?: string[]
}

const WORDINGS: Readonly<Record<MailTemplate, (service: string, about: string) => Wording>> = {
  verify: (service) => ({
    subject: 'Confirm your email address',
    before: [
      `Somebody, hopefully you, signed up at ${service} with this address.`,
      `To confirm it, follow this link within ${inWords(LIFETIMES.mailLink)} and enter the password that you chose:`,
    ],
    after: ['If it was not you, ignore this mail: without that password nothing happens.'],
  }),
  reset: (service) => ({
    subject: 'Choose a new password',
    before: [
      `Somebody, hopefully you, asked for a new password at ${service}.`,
      `To choose one, follow this link within ${inWords(LIFETIMES.mailLink)}. It ends every session you have:`,
    ],
    after: ['If it was not you, ignore this mail: your password stays as it is.'],
  }),
  known: (service) => ({
    subject: 'You already have an account',
    before: [
      `Somebody, hopefully you, signed up at ${service} with this address, which has an account already.`,
      'Log in with your password, or ask for a new one if you forgot it. Nothing was changed.',
    ],
  }),
  closed: (service) => ({
    subject: 'Your account is closed',
    before: [
      `Somebody, hopefully you, signed up at ${service} with this address. Its account there was closed.`,
      'A closed account stays closed; to use the service again, sign up with another address.',
    ],
  }),
  webhook: (service, about) => ({
    subject: 'A webhook was added to your account',
    before: [
      `From now on ${about} receives the payments and items of your account at ${service}.`,
      'If it was not you, ask for a new password by mail at once: that pauses every webhook, and ends every session and API key.',
    ],
  }),
  incident: (service, about) => ({
    subject: `${service} needs an operator`,
    before: [...about.split('\n'), `You receive this mail because your account operates ${service}.`],
  }),
  alert: (service, about) => ({
    subject: `${service}: ${about.split('\n', 1).join()}`,
    before: [...about.split('\n'), `You receive this mail because OPERATOR_MAIL of ${service} is your address.`],
  }),
  order: (service, about) => {
    const [subject = '', ...lines] = about.split('\n')
    const wanted = `You receive this mail because your account at ${service} wants it. You can change that in the account.`
    return { subject, before: [...lines, wanted] }
  },
  password: (service) => ({
    subject: 'Your password was changed',
    before: [
      `The password of your account at ${service} was changed just now. Every other session was ended.`,
      'If it was not you, ask for a new password by mail at once: that ends every session, passkey and API key.',
    ],
  }),
  key: (service, about) => ({
    subject: `An API key was ${about}`,
    before: [
      `An API key of your account at ${service} was ${about} just now.`,
      'If it was not you, ask for a new password by mail at once: that ends every session, passkey and API key.',
    ],
  }),
  passkey: (service, about) => ({
    subject: `A passkey was ${about}`,
    before: [
      `A passkey of your account at ${service} was ${about} just now.`,
      'If it was not you, ask for a new password by mail at once: that ends every session, passkey and API key.',
    ],
  }),
  reused: (service) => ({
    subject: 'A session of yours was ended',
    before: [
      `A refresh token of a session of your account at ${service} was used after another one had replaced it. That can mean that somebody has a copy of it, so the session was ended. Log in again.`,
      'If you do not know why this happened, log in, change your password, and look at the list of your sessions.',
    ],
  }),
}

/** Writes a mail of the service named `service` (its host), with `link` where the template has one; a notice names `about`. */
export async function writeMail(
  template: MailTemplate,
  mail: { to: string; service: string; link: string | undefined; about: string },
): Promise<MailMessage> {
  const { subject, before, after = [] } = WORDINGS[template](mail.service, mail.about)
  const { link } = mail
  const paragraphs = (lines: string[]) => lines.map((line) => html`<p>${line}</p>`)
  const anchor = link === undefined ? raw('') : html`<p><a href="${link}">${link}</a></p>`
  const page = await html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body>${paragraphs(before)}${anchor}${paragraphs(after)}</body>
</html>`
  return {
    to: mail.to,
    subject,
    text: `${[...before, ...(link === undefined ? [] : [link]), ...after].join('\n\n')}\n`,
    html: page.toString(),
  }
}
