import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { commandDocument } from '../../cli/describe/command-document.ts'
import { completionScript, SHELLS } from '../../cli/describe/completion-script.ts'
import { commandHelp, overviewHelp } from '../../cli/describe/help-text.ts'
import { nearestName } from '../../cli/parse/nearest-name.ts'
import { EXIT_MEANINGS } from '../../cli/run/exit-codes.ts'
import { GLOBAL_OPTIONS } from '../../cli/table/command-spec.ts'
import { COMMANDS } from '../../cli/table/command-table.ts'
import { ApiServer } from './api-server.ts'
import { User } from './run-hookline.ts'

it('docs/command.md is what the table makes; npm run docs:command writes it', () => {
  expect(readFileSync('docs/command.md', 'utf8')).toBe(commandDocument(COMMANDS))
})

it.each(COMMANDS.map((command) => [command.name, command] as const))(
  'help of %s names every argument and option',
  (name, command) => {
    const help = commandHelp(command)
    expect(overviewHelp(COMMANDS)).toContain(name)
    for (const option of Object.keys({ ...command.options, ...GLOBAL_OPTIONS })) expect(help).toContain(`--${option}`)
    for (const argument of command.arguments) expect(help).toContain(`<${argument.name}>`)
  },
)

it('no option of a command hides one that every command takes', () => {
  for (const { options } of COMMANDS)
    for (const name of Object.keys(options)) expect(GLOBAL_OPTIONS).not.toHaveProperty(name)
})

it('completes commands, their second words, options and values in bash', () => {
  const ask = (...words: string[]) => {
    const script = `${completionScript('bash', COMMANDS)}
      COMP_WORDS=(${words.map((word) => JSON.stringify(word)).join(' ')}); COMP_CWORD=${words.length - 1}; _hookline; echo "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split(' ')
  }
  expect(ask('hookline', 'ver')).toEqual(['verify'])
  expect(ask('hookline', 'site', 'd')).toContain('deploy')
  expect(ask('hookline', 'put', 'file', '--pay')).toEqual(['--pay-from-balance'])
  expect(ask('hookline', 'put', 'file', '--to', 'n')).toEqual(['nativecoin'])
  expect(ask('hookline', 'site', 'deploy', '--dom')).toEqual(['--domain'])
})

it.each(SHELLS)('prints the completion script of %s', async (shell) => {
  const { url } = await ApiServer.start()
  const { stdout, code } = await new User(url).run(['completion', shell])
  expect(code).toBe(0)
  for (const { name } of COMMANDS) expect(stdout).toContain(name.split(' ')[0])
})

it('command 23: help json, exit-codes and environment say what programs rely on', async () => {
  const { url } = await ApiServer.start()
  const user = new User(url)
  const codes = (await user.run(['help', 'exit-codes'])).stdout
  for (const [code, meaning] of Object.entries(EXIT_MEANINGS))
    expect(codes).toMatch(new RegExp(`${code} +${meaning.slice(0, 20)}`))
  expect((await user.run(['help', 'environment'])).stdout).toContain('HOOKLINE_KEY_FILE')
  expect((await user.run(['help', 'json'])).stdout).toContain('"exitCode"')
})

it.each([
  ['pt', 'put'],
  ['satus', 'status'],
  ['veirfy', 'verify'],
  ['compl', 'completion'],
])('the nearest name of %s is %s', (typed, name) => {
  expect(nearestName(typed, ['put', 'status', 'verify', 'completion'])).toBe(name)
})

it('has no nearest name for something else altogether, however long', () => {
  expect(nearestName('xyzzy', ['put', 'status'])).toBeUndefined()
  expect(nearestName('p'.repeat(1_000_000), ['put'])).toBeUndefined()
})
