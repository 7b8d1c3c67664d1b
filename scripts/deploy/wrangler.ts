import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv, stripVTControlCharacters } from 'node:util'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const WRANGLER = join(fileURLToPath(import.meta.resolve('wrangler')), '..', '..', 'bin', 'wrangler.js')

/** How a run of Wrangler ended, and what it printed. */
export interface WranglerResult {
  ok: boolean
  /** Of standard output. */
  output: string
  /** Of standard error. */
  errors: string
}

/** The settings of an environment by name; `undefined` where its file is not there. */
export async function readSettings(file: string): Promise<Record<string, string | undefined> | undefined> {
  const text = await readFile(join(ROOT, file), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : parseEnv(text)
}

/** The environment variables of this process, with what the settings say of who deploys. */
export function wranglerEnvironment(settings: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const { CLOUDFLARE_ACCOUNT_ID, CLOUDFLARE_API_TOKEN } = settings
  return {
    ...process.env,
    ...(CLOUDFLARE_ACCOUNT_ID ? { CLOUDFLARE_ACCOUNT_ID } : {}),
    ...(CLOUDFLARE_API_TOKEN ? { CLOUDFLARE_API_TOKEN } : {}),
  }
}

/** Runs Wrangler in the repository. What it prints is shown at once unless `quiet`. */
export async function runWrangler(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  options: { quiet?: boolean; cwd?: string } = {},
): Promise<WranglerResult> {
  return await runNode([WRANGLER, ...args], environment, options)
}

/** Runs a Node program in the repository; otherwise as {@link runWrangler}. */
export function runNode(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  { quiet = false, cwd = ROOT } = {},
): Promise<WranglerResult> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd, env: environment, stdio: ['inherit', 'pipe', 'pipe'] })
    const printed = { output: '', errors: '' }
    child.stdout.on('data', (part: Buffer) => {
      printed.output += part.toString()
      if (!quiet) process.stdout.write(part)
    })
    child.stderr.on('data', (part: Buffer) => {
      printed.errors += part.toString()
      if (!quiet) process.stderr.write(part)
    })
    child.on('close', (code) => resolve({ ok: code === 0, ...printed }))
  })
}

/** What Wrangler says of an error, without colours, and without what is the same for each error. */
export function errorText({ output, errors }: Pick<WranglerResult, 'output' | 'errors'>): string {
  // With --json Wrangler writes some errors to standard output.
  const text = stripVTControlCharacters(errors.trim() === '' ? output : errors)
  return text
    .split('\n')
    .map((line) => line.replace(/^\S? ?\[(?:ERROR|WARNING)\] /, '').trim())
    .filter((line) => line !== '' && !/Logs were written to|^If you think this is a bug/.test(line))
    .join('\n')
}

/** Whether a command failed because Cloudflare could not be reached. */
export function isUnreachable({ errors }: Pick<WranglerResult, 'errors'>): boolean {
  return /fetch failed|connectivity issue|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT/.test(errors)
}
