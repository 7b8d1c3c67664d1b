import type { Command } from '../run/context.ts'
import { ACCOUNT_COMMANDS } from './account-commands.ts'
import { HELP_COMMANDS } from './help-commands.ts'
import { MONEY_COMMANDS } from './money-commands.ts'
import { ORDER_COMMANDS } from './order-commands.ts'
import { READING_COMMANDS } from './reading-commands.ts'
import { SITE_COMMANDS } from './site-commands.ts'
import { STORING_COMMANDS } from './storing-commands.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...STORING_COMMANDS,
  ...ORDER_COMMANDS,
  ...SITE_COMMANDS,
  ...READING_COMMANDS,
  ...MONEY_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...HELP_COMMANDS,
]
