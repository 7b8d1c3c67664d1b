import { Writable } from 'node:stream'
import { createClient } from '../../client/create-client.ts'
import { isRecord } from '../../client/http/parse-json.ts'
import type { Deps } from '../run/context.ts'
import { EXIT, type ExitCode } from '../run/exit-codes.ts'
import { runCommandLine } from '../run/run-command-line.ts'
import { deployArguments, type Inputs, isForeignPullRequest, readInputs } from './read-inputs.ts'
import { addSummary, annotationLines, errorLine, type Fault, noticeLine, setOutput } from './workflow-commands.ts'

/** Deploys a folder in a workflow: runs the command with the inputs as arguments, and sets its JSON as outputs. */
export async function runAction(deps: Omit<Deps, 'argv'>): Promise<ExitCode> {
  const { env, stdout } = deps
  const say = (line: string) => stdout.write(`${line}\n`)
  const inputs = readInputs(env)
  if (inputs.key === '') {
    if (!isForeignPullRequest(env))
      return refuse(
        say,
        'The input key is empty. Give it an API key with the scopes store, pay and sites, from a secret.',
      )
    say(noticeLine('A pull request from a fork has no access to secrets, so nothing was deployed.'))
    setOutput(env, 'state', 'skipped')
    return EXIT.done
  }
  for (const name of ['folder', 'api'] as const)
    if (inputs[name] === '') return refuse(say, `The input ${name} is empty.`)
  if (inputs.site === '') {
    return refuse(say, 'The input site is empty. Give the id or the name of the site; a new name creates a site.')
  }
  if (inputs.maxFee === '') {
    return refuse(say, 'The input max-fee is empty. Storing costs money: give a limit for one deployment, in coins.')
  }
  // The runner masks this value in all later output.
  say(`::add-mask::${inputs.key}`)
  const pieces: string[] = []
  const captured = new Writable({
    decodeStrings: false,
    write(piece, _encoding, callback) {
      pieces.push(String(piece))
      callback()
    },
  })
  const { HOOKLINE_KEY_FILE: _file, ...others } = env
  const exitCode = await runCommandLine({
    ...deps,
    env: { ...others, HOOKLINE_KEY: inputs.key },
    argv: deployArguments(inputs),
    stdout: captured,
  })
  const outcome: unknown = JSON.parse(pieces.join('') || 'null')
  await report(deps, inputs, outcome)
  return exitCode
}

function refuse(say: (line: string) => void, message: string): ExitCode {
  say(errorLine(message))
  return EXIT.usage
}

async function report(deps: Omit<Deps, 'argv'>, inputs: Inputs, outcome: unknown): Promise<void> {
  const { env, stdout } = deps
  const result = isRecord(outcome) && isRecord(outcome.result) ? outcome.result : {}
  const error = isRecord(outcome) && isRecord(outcome.error) ? outcome.error : undefined
  const site = isRecord(result.site) ? result.site : {}
  const item: unknown = Array.isArray(result.items) ? result.items[0] : undefined
  const { id = '', cid = '' } = isRecord(item) ? item : {}
  const outputs = {
    state: result.state ?? 'none',
    url: site.url ?? '',
    site: site.id ?? '',
    version: site.version ?? '',
    item: id,
    cid: cid ?? '',
  }
  for (const [name, value] of Object.entries(outputs)) setOutput(env, name, String(value))
  setOutput(env, 'json', JSON.stringify(outcome))
  if (error)
    stdout.write(`${errorLine([error.message, error.hint].filter((text) => typeof text === 'string').join(' '))}\n`)
  const faults = typeof id === 'string' && id !== '' ? await readFaults(deps, inputs, id) : []
  for (const line of annotationLines(faults)) stdout.write(`${line}\n`)
  addSummary(env, summaryOf(outputs, result, error, faults))
}

/**
 * Faults that the service finds in `_headers` and `_redirects`. A deployment does not fail because this request fails.
 */
async function readFaults(
  { fetch, now }: Omit<Deps, 'argv'>,
  { api, key, folder }: Inputs,
  item: string,
): Promise<Fault[]> {
  try {
    const client = createClient({ api, key, fetch, now })
    const { problems } = await client.items.problems(item)
    return problems.map(({ file, line, text, fault, effect }) => ({
      file: `${folder.replace(/\/+$/, '')}/${file}`,
      line,
      text: [text, fault].filter((part) => part !== '').join(': '),
      level: effect === 'fails' ? 'error' : 'warning',
    }))
  } catch {
    return []
  }
}

function summaryOf(
  outputs: Readonly<Record<string, unknown>>,
  { files, linked }: Readonly<Record<string, unknown>>,
  error: Readonly<Record<string, unknown>> | undefined,
  faults: readonly Fault[],
): string {
  const rows = Object.entries(outputs).filter(([, value]) => value !== '')
  const problems = Array.isArray(error?.problems) ? error.problems.map((problem) => `- ${cell(problem)}`) : []
  return [
    `## Hookline: ${error ? cell(error.message) : 'deployed'}`,
    ...problems,
    '',
    '| | |',
    '|-|-|',
    ...rows.map(([name, value]) => `| ${name} | ${cell(value)} |`),
    `| files | ${cell(files)}, ${Array.isArray(linked) ? linked.length : 0} already there |`,
    '',
    ...faults.map(({ file, line, text }) => `- ${cell(file)}, line ${line}: ${cell(text)}`),
  ].join('\n')
}

/** Text of others in a table cell: no markup, no line end. */
const cell = (value: unknown) =>
  String(value ?? '')
    .replace(/[\r\n]+/g, ' ')
    .replace(/[|<>`[\]*_\\]/g, '\\$&')
