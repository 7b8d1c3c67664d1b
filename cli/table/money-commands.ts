import type { Command } from '../run/context.ts'
import { anyOf, CHAINS } from './options.ts'

/** Commands for the money of the account. */
export const MONEY_COMMANDS: readonly Command[] = [
  {
    name: 'balance',
    summary: 'Show the balances of the account.',
    arguments: [],
    options: {
      deposit: { value: 'chain', choices: CHAINS, text: 'Create a new deposit address on this chain and show it.' },
    },
    examples: ['hookline balance --json', 'hookline balance --deposit nativecoin'],
    load: () => import('../commands/balance.ts'),
  },
  {
    name: 'withdraw',
    summary: 'Send coins of the balance to an address.',
    details: ['Needs a login with a password; an API key is refused. If it is killed and run again, it sends once.'],
    arguments: [
      { name: 'amount', text: 'Coins, as a decimal number.' },
      { name: 'address', text: 'Where to; the chain’s own node checks it.' },
    ],
    options: {
      chain: { value: 'chain', choices: CHAINS, text: `The chain of the coins: ${anyOf(CHAINS)}.` },
      'max-fee': { value: 'coins', text: 'The highest network fee; required without a terminal.' },
      yes: { short: 'y', text: 'Do not ask.' },
      'dry-run': { text: 'Show what would be sent, and the fee; send nothing.' },
      new: { text: 'Send again, although the same withdrawal was made before.' },
    },
    examples: ['hookline withdraw 0.5 ntc1q… --chain nativecoin --max-fee 0.001'],
    load: () => import('../commands/withdraw.ts'),
  },
]
