import { SHELLS } from '../describe/completion-script.ts'
import type { Command } from '../run/context.ts'

/** Commands that describe the command itself. */
export const HELP_COMMANDS: readonly Command[] = [
  {
    name: 'help',
    summary: 'Explain a command, or json, exit-codes, environment.',
    arguments: [{ name: 'topic', many: true, optional: true, text: 'A command, json, exit-codes or environment.' }],
    options: {},
    examples: ['hookline help site deploy', 'hookline help exit-codes'],
    load: () => import('../commands/help.ts'),
  },
  {
    name: 'completion',
    summary: 'Print the script that lets a shell complete commands and options.',
    arguments: [{ name: 'shell', choices: SHELLS, text: 'bash, zsh or fish.' }],
    options: {},
    examples: [
      'source <(hookline completion bash)',
      'hookline completion fish > ~/.config/fish/completions/hookline.fish',
    ],
    load: () => import('../commands/completion.ts'),
  },
]
