import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { inject, onTestFinished } from 'vitest'
import type {} from './build-once.ts'

export interface Ran {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  bytes: Buffer
}

export interface RunOptions {
  /** Written to stdin, which is then closed. */
  input?: string | Uint8Array
  env?: Record<string, string | undefined>
  cwd?: string
  /** A program in place of the command. */
  program?: string | undefined
  /** Called with the process once it runs. */
  onStart?: (child: ChildProcess) => void
}

/** Folders of one user, removed when the test ends; what is begun there is known to later runs of the same user. */
export class User {
  readonly home: string
  readonly #env: Record<string, string>

  constructor(api: string, env: Record<string, string> = {}) {
    this.home = mkdtempSync(join(tmpdir(), 'hookline-user-'))
    onTestFinished(() => rmSync(this.home, { recursive: true, force: true }))
    this.#env = {
      PATH: process.env.PATH ?? '',
      HOME: this.home,
      HOOKLINE_API: api,
      HOOKLINE_KEY: 'key-of-a-test',
      ...env,
    }
  }

  path(...names: string[]): string {
    return join(this.home, ...names)
  }

  /** Writes a file below the home folder, with the folders that it is in. */
  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(path)), { recursive: true })
    writeFileSync(this.path(path), content)
  }

  /** Makes an empty folder below the home folder. */
  makeFolder(path: string): void {
    mkdirSync(this.path(path), { recursive: true })
  }

  /** Runs the built command to its end. */
  run(args: readonly string[], { input, env = {}, cwd, program, onStart }: RunOptions = {}): Promise<Ran> {
    const child = spawn(process.execPath, [program ?? inject('commandFile'), ...args], {
      env: this.#envWith(env),
      cwd: cwd ?? this.home,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    onStart?.(child)
    return collect(child, input)
  }

  /** Runs it in bash, between `before` and what stdout becomes: `> /dev/full`, `| head -1`. */
  runInShell(args: readonly string[], { before = '', behind }: { before?: string; behind: string }): Promise<Ran> {
    const script = `${before} "$0" "$@" ${behind}`
    const words = ['-c', script, process.execPath, inject('commandFile'), ...args]
    return collect(spawn('bash', words, { env: this.#envWith({}), cwd: this.home, stdio: 'pipe' }))
  }

  #envWith(env: Record<string, string | undefined>): Record<string, string> {
    const merged = Object.entries({ ...this.#env, ...env })
    return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  /** Runs it with --json and returns the document. */
  async json(args: readonly string[], options: RunOptions = {}) {
    const ran = await this.run([...args, '--json'], options)
    return { ...ran, document: JSON.parse(ran.stdout) }
  }
}

export function collect(child: ChildProcess, input?: string | Uint8Array): Promise<Ran> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (data: Buffer) => out.push(data))
  child.stderr?.on('data', (data: Buffer) => err.push(data))
  // The command may end before it has read its input.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      const bytes = Buffer.concat(out)
      resolve({ code, signal, stdout: bytes.toString(), stderr: Buffer.concat(err).toString(), bytes })
    })
  })
}
