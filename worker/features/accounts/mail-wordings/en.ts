import { inWords, LIFETIMES } from '../../../../contract/lifetimes.ts'
import type { OrderWordings, Wordings } from './wording.ts'

/** The mails in English. */
export const wordings: Wordings = {
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
  email: (service) => ({
    subject: 'Confirm your new email address',
    before: [
      `Somebody, hopefully you, wants this address for an account at ${service}.`,
      `To change it, follow this link within ${inWords(LIFETIMES.mailLink)} and enter the password of the account:`,
    ],
    after: ['If it was not you, ignore this mail: without that password nothing happens.'],
  }),
  taken: (service) => ({
    subject: 'This address has an account',
    before: [
      `Somebody, hopefully you, wanted this address for another account at ${service}. It has an account there, open or closed, already.`,
      'Nothing was changed. An address can have one account.',
    ],
  }),
  moving: (service, about) => ({
    subject: 'A new email address was asked for',
    before: [
      `Somebody, hopefully you, asked for ${about} in place of this address, for your account at ${service}. It is changed once a link that was mailed there is followed and the password is entered.`,
      'If it was not you, somebody has your password: ask for a new one by mail at once. That ends every session, and voids the link.',
    ],
  }),
  moved: (service, about) => ({
    subject: 'Your email address was changed',
    before: [
      `Your account at ${service} has the address ${about} from now on, in place of this one.`,
      `If it was not you, write to the operator of ${service} at once.`,
    ],
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

export const orders: OrderWordings = {
  andMore: (name, more) => `${name} and ${more} more`,
  withdrawn: (amount, address, txid) => ({
    title: 'Your withdrawal was sent',
    text: `${amount} left to ${address}.\nTransaction: ${txid}`,
  }),
  paid: (what, amount) => ({ title: 'Your order is paid', text: `${what}: ${amount} is paid. It is written now.` }),
  stored: (what) => ({ title: 'Your order is stored', text: `${what}: all of it is stored.` }),
  stopped: (name, why) => ({ title: 'Your order has stopped', text: `${name} is not written further. ${why}`.trim() }),
  digest: 'Your orders of the last day',
  digestMore: (more) => `And ${more} more.`,
}
