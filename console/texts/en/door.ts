import type { TextTools } from '../tools.ts'

/** What is said before a login, and where the password is asked for again, in English. */
export const door = ({ counted, lasting }: TextTools) => ({
  signIn: {
    title: 'Sign in',
    lead: 'Store files where they stay, and read them back verified.',
    passkey: 'Sign in with a passkey',
    passkeyCancelled: 'The passkey window was closed. Your password works as well.',
    or: 'or with your password',
    email: 'Email',
    password: 'Password',
    send: 'Sign in',
    sending: 'Signing in',
    wrong: 'Email or password is wrong. Try again, or ',
    forgot: 'choose a new password',
    closed: 'This account is closed.',
    locked: (wait: string) => `Too many attempts. Wait ${wait}, or choose a new password.`,
    identity: 'The operator has not confirmed your identity yet. You can sign in after that.',
    new: 'New here?',
    signUp: 'Make an account',
    stay: `You stay signed in on this device for ${lasting('refresh')}.`,
    endings: {
      expired: `You were signed out after ${lasting('refresh')}. An upload is kept for ${lasting('unpaid')}.`,
      elsewhere: `This session was ended: in another tab or browser, or by a new password. An upload is kept for ${lasting('unpaid')}.`,
      closed: 'The account is closed.',
    },
    emailMissing: 'Type the email address of your account, such as ann@example.com.',
    passwordMissing: 'Type your password.',
    showPassword: 'Show',
    hidePassword: 'Hide',
    resetTitle: 'Choose a new password',
    resetLead: 'We mail you a link. It opens a page where you choose a new one.',
    resetSend: 'Send the link',
    resetSent: (email: string) =>
      `If there is an account for ${email}, a link is on its way. It works for ${lasting('mailLink')}.`,
  },
  doorPrice: {
    title: 'What would it cost?',
    lead: 'Drop files here, or choose them. No account is needed, and nothing is sent but their sizes.',
    choose: 'Price a file',
    what: (count: number, name: string, size: string) =>
      count === 1 ? `${name}, ${size}` : `${counted(count, 'file')}, ${size} together`,
    many: 'These are too many files to price here. Choose fewer.',
  },
  letter: {
    label: (chain: string) => `A letter stored on ${chain}`,
    verified: 'Verified in this browser, just now',
    source: (count: number, chain: string, name: string) =>
      `${counted(count, 'transaction')} on ${chain}, from ${name}`,
    note: (chain: string) =>
      `From a letter that is written in ${chain}. Your browser fetched the transactions, hashed each to its name, and then showed it.`,
    waiting: 'Your browser fetches a letter from the chain and hashes it.',
    refused: 'Not shown. The bytes do not match their name.',
    unread: 'The letter could not be fetched. Signing in works without it.',
  },
  signUp: {
    title: 'Make an account',
    firstName: 'Given name',
    lastName: 'Family name',
    send: 'Make the account',
    sending: 'Making the account',
    have: 'Have one already?',
    mail: `We mail you one link. It works for ${lasting('mailLink')}.`,
    rules: {
      length: 'At least 6 characters',
      letters: 'An upper-case and a lower-case letter',
      digit: 'A digit',
      missing: 'is missing',
      met: 'is there',
    },
    nameMissing: 'Type a name.',
    passwordWeak: 'The password needs at least 6 characters, a digit, and letters of both cases.',
  },
  verify: {
    title: 'Look at your mail',
    sent: 'We sent a link to ',
    open: '. Open it, press the button on the page, and enter your password.',
    until: (when: string) => `The link works until ${when}.`,
    waits: 'This page goes on by itself when you are done.',
    again: 'Send it again',
    againIn: (left: string) => `Send it again in ${left}`,
    sentAgain: 'It is on its way again.',
    other: 'Use another address',
    nothing: 'Nothing came? Look in the spam folder.',
    outbox: 'Read the mail in the outbox of this machine',
    until2: 'Until then nothing can be stored or paid.',
  },
  loginAgain: {
    title: 'Enter your password to go on',
    text: `This needs that you signed in within the last ${lasting('recentLogin')}.`,
    goOn: 'Go on',
    wrongPassword: 'This is not your password.',
  },
})

export type DoorTexts = ReturnType<typeof door>
