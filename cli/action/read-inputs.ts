import { readFileSync } from 'node:fs'
import { isRecord } from '../../client/http/parse-json.ts'

type Env = Readonly<Record<string, string | undefined>>

/** What a workflow gives the Action. */
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

/** The inputs: GitHub hands each over as a variable, never as part of a script, so that no name of a folder runs. */
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

/** Whether this is a pull request of another repository, which GitHub gives no secrets. */
export function isForeignPullRequest(env: Env): boolean {
  if (!env.GITHUB_EVENT_PATH || !env.GITHUB_EVENT_NAME?.startsWith('pull_request')) return false
  try {
    const event: unknown = JSON.parse(readFileSync(env.GITHUB_EVENT_PATH, 'utf8'))
    if (!isRecord(event) || !isRecord(event.pull_request) || !isRecord(event.pull_request.head)) return false
    const { repo } = event.pull_request.head
    // A fork that was deleted has none.
    return !isRecord(repo) || repo.full_name !== env.GITHUB_REPOSITORY
  } catch {
    return false
  }
}

/** The words of the command; each is one word whatever it holds. */
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
