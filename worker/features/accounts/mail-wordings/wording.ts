import type { MailTemplate } from '../../../platform/records/mail-queue.ts'

export interface Wording {
  subject: string
  /** Paragraphs before the link and after it. No name from a sign-up is among them: anybody may write those. */
  before: string[]
  after?: string[]
}

/** Mails to operators, which are in English for all. */
type ToOperators = 'incident' | 'alert'

/** The mails of one language: `service` is the host, `about` what a notice names. */
export type Wordings = Readonly<Record<Exclude<MailTemplate, ToOperators>, (service: string, about: string) => Wording>>

export const TO_OPERATORS: Readonly<Record<ToOperators, (service: string, about: string) => Wording>> = {
  incident: (service, about) => ({
    subject: `${service} needs an operator`,
    before: [...about.split('\n'), `You receive this mail because your account operates ${service}.`],
  }),
  alert: (service, about) => ({
    subject: `${service}: ${about.split('\n', 1).join()}`,
    before: [...about.split('\n'), `You receive this mail because OPERATOR_MAIL of ${service} is your address.`],
  }),
}

/** What mails about orders and withdrawals say; `what` names the items of an order. */
export interface OrderWordings {
  /** Some items by the name of one. */
  andMore(name: string, more: number): string
  withdrawn(amount: string, address: string, txid: string): Notice
  paid(what: string, amount: string): Notice
  stored(what: string): Notice
  /** `why` is the service's own sentence, in English. */
  stopped(name: string, why: string): Notice
  /** The subject of what waited for a day, and the line below what there is no room for. */
  digest: string
  digestMore(more: number): string
}

interface Notice {
  title: string
  text: string
}
