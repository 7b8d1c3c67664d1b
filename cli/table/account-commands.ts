import type { Command } from '../run/context.ts'

/** Commands for the account and its credentials. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    summary: 'Sign in, and keep the sign-in for this service.',
    details: [
      'Asks for the email address and the password, or takes an API key from --key-stdin, HOOKLINE_KEY or HOOKLINE_KEY_FILE. What is kept lies as plain text in a file that only you can read; its path is said before it is written. It is sent to this service and to no other.',
      'A secret is never an argument: other users of the machine and the history of the shell would see it.',
    ],
    arguments: [],
    options: {
      email: { value: 'address', text: 'The email address; asked for without it.' },
      'password-stdin': { text: 'Read the password from stdin.' },
      'key-stdin': { text: 'Read an API key from stdin.' },
      'no-store': { text: 'Keep nothing: print an access token for HOOKLINE_KEY, good for some minutes.' },
      days: { value: 'number', text: 'How long the sign-in lasts, 1 to 365; 30 without it.' },
    },
    examples: ['hookline login --api https://api.example', 'hookline login --key-stdin < key.txt'],
    load: () => import('../commands/login.ts'),
  },
  {
    name: 'logout',
    summary: 'End the sign-in and forget it.',
    arguments: [],
    options: {},
    examples: [],
    load: () => import('../commands/logout.ts'),
  },
  {
    name: 'whoami',
    summary: 'Say which account is used, where its key came from, what it may do and until when.',
    arguments: [],
    options: {},
    examples: ['hookline whoami --json'],
    load: () => import('../commands/whoami.ts'),
  },
  {
    name: 'keys',
    summary: 'List the API keys of the account.',
    arguments: [],
    options: {},
    examples: ['hookline keys'],
    list: true,
    load: () => import('../commands/keys.ts'),
  },
  {
    name: 'keys create',
    summary: 'Make an API key, for servers and CI. It is shown once.',
    arguments: [{ name: 'name', text: 'What it is for.' }],
    options: {
      scope: {
        value: 'scope',
        many: true,
        choices: ['read', 'store', 'pay', 'sites'],
        text: 'What it may do: read, store, pay or sites. May be given several times.',
      },
      days: { value: 'number', text: 'How long it is good, 1 to 365; 90 without it.' },
      limit: {
        value: 'chain=coins',
        many: true,
        text: 'Most that it may spend a day (UTC), such as nativecoin=0.5. Required with the scope pay.',
      },
    },
    examples: ['hookline keys create ci --scope store --scope sites --days 30'],
    load: () => import('../commands/keys-create.ts'),
  },
  {
    name: 'keys revoke',
    summary: 'End API keys at once.',
    arguments: [{ name: 'id', many: true, text: 'Ids of keys.' }],
    options: {},
    examples: [],
    load: () => import('../commands/keys-revoke.ts'),
  },
]
