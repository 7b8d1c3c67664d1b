import type { Command } from '../run/context.ts'

/** Commands for the account and its credentials. */
export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    summary: 'Sign in, and store the credentials for this service.',
    details: [
      'Asks for the email address and the password, or reads an API key from --key-stdin, HOOKLINE_KEY or HOOKLINE_KEY_FILE. The credentials are stored as plain text in a file that only you can read; its path is printed before it is written. They are sent to this service only.',
      'A secret is never an argument: other users of the machine and the history of the shell would see it.',
    ],
    arguments: [],
    options: {
      email: { value: 'address', text: 'The email address. Default: asks for it.' },
      'password-stdin': { text: 'Read the password from stdin.' },
      'key-stdin': { text: 'Read an API key from stdin.' },
      'no-store': { text: 'Store nothing: print an access token for HOOKLINE_KEY, valid for some minutes.' },
      days: { value: 'number', text: 'How many days the login is valid, 1 to 365. Default: 30.' },
    },
    examples: ['hookline login --api https://api.example', 'hookline login --key-stdin < key.txt'],
    load: () => import('../commands/login.ts'),
  },
  {
    name: 'logout',
    summary: 'Sign out, and delete the stored credentials.',
    arguments: [],
    options: {},
    examples: [],
    load: () => import('../commands/logout.ts'),
  },
  {
    name: 'whoami',
    summary: 'Show the account, the source of its credentials, what they allow and when they expire.',
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
    summary: 'Create an API key for servers and CI. It is shown once.',
    arguments: [{ name: 'name', text: 'What it is for.' }],
    options: {
      scope: {
        value: 'scope',
        many: true,
        choices: ['read', 'store', 'pay', 'sites'],
        text: 'What it allows: read, store, pay or sites. May be repeated.',
      },
      days: { value: 'number', text: 'How many days it is valid, 1 to 365. Default: 90.' },
      limit: {
        value: 'chain=coins',
        many: true,
        text: 'The most that it may spend a day (UTC), such as nativecoin=0.5. Required with the scope pay.',
      },
    },
    examples: ['hookline keys create ci --scope store --scope sites --days 30'],
    load: () => import('../commands/keys-create.ts'),
  },
  {
    name: 'keys revoke',
    summary: 'Revoke API keys at once.',
    arguments: [{ name: 'id', many: true, text: 'Ids of keys.' }],
    options: {},
    examples: [],
    load: () => import('../commands/keys-revoke.ts'),
  },
]
