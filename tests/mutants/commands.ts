import { spawn } from 'node:child_process'

/** How a command ended, and the last of what it wrote. */
export interface CommandEnd {
  code: number | undefined
  output: string
}

const MAX_OUTPUT = 20_000

/** Process groups of commands that run now. */
export const runningGroups = new Set<number>()

/** Ends every command that runs, with what it has started: workerd outlives the runner that started it. */
export function stopCommands(): void {
  for (const group of runningGroups) process.kill(-group, 'SIGKILL')
  runningGroups.clear()
}

/** The end of a command; its exit code is `undefined` where it was stopped after `timeout` milliseconds. */
export function runCommand(
  command: string,
  args: readonly string[],
  { cwd, timeout, env }: { cwd: string; timeout: number; env: NodeJS.ProcessEnv },
): Promise<CommandEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    const { pid } = child
    if (pid !== undefined) runningGroups.add(pid)
    const stop = setTimeout(() => {
      if (pid !== undefined && runningGroups.delete(pid)) process.kill(-pid, 'SIGKILL')
    }, timeout)
    let output = ''
    child.stdout.on('data', (part) => {
      output = (output + part).slice(-MAX_OUTPUT)
    })
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(stop)
      if (pid !== undefined) runningGroups.delete(pid)
      resolve({ code: code ?? undefined, output })
    })
  })
}
