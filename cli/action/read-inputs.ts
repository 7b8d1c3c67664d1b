import { readFileSync } from 'node:fs'
import { isRecord } from '../../client/http/parse-json.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The inputs of the GitHub Action. */
export interface Inputs {
  folder: string
  api: string
  key: string
  maxFee: string
  domain: string
  site: string
  to: string
  hidden: boolean
}

/**
 * The inputs. GitHub passes each one as a variable, never inside a script, so that a folder's name cannot run as code.
 */
export function readInputs(env: Env): Inputs {
  const input = (name: string) => (env[`INPUT_${name.toUpperCase().replaceAll(' ', '_')}`] ?? '').trim()
  return {
    folder: input('folder'),
    api: input('api'),
    key: input('key') || (env.HOOKLINE_KEY ?? ''),
    maxFee: input('max-fee'),
    domain: input('domain'),
    site: input('site'),
    to: input('to'),
    hidden: input('hidden') === 'true',
  }
}

/** Whether this is a pull request from another repository, for which GitHub passes no secrets. */
export function isForeignPullRequest(env: Env): boolean {
  if (!env.GITHUB_EVENT_PATH || !env.GITHUB_EVENT_NAME?.startsWith('pull_request')) return false
  try {
    const event: unknown = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'))
    if (!isRecord(event) || !isRecord(event.pull_request) || !isRecord(event.pull_request.head)) return false
    const { repo } = event.pull_request.head
    // The repository of a deleted fork is null.
    return !isRecord(repo) || repo.full_name !== env.GITHUB_REPOSITORY
  } catch {
    return false
  }
}

/** The arguments of the command; each input is one argument, with any characters. */
export function deployArguments({ folder, api, maxFee, domain, site, to, hidden }: Inputs): string[] {
  return [
    'site',
    'deploy',
    '--json',
    '--no-input',
    '--wait',
    '--pay-from-balance',
    `--max-fee=${maxFee}`,
    `--api=${api}`,
    ...(domain === '' ? [] : [`--domain=${domain}`]),
    `--site=${site}`,
    ...(to === '' ? [] : [`--to=${to}`]),
    ...(hidden ? ['--hidden'] : []),
    '--',
    folder,
  ]
}
