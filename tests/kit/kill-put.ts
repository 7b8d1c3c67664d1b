import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { User } from '../cli/run-hookline.ts'

/** Where a run is ended by SIGKILL: at a request sent or its answer, or at a change of a file. */
export type KillPoint = { at: 'request'; number: number; side: 'before' | 'after' } | WritePoint
type WritePoint = { at: 'write'; number: number; side: 'before' | 'after' }

/** Kills the command at one of its requests. */
export interface KillSwitch {
  /** Calls `kill` at the n-th request. */
  killAt(point: { number: number; side: 'before' | 'after' } | undefined, kill: () => void): void
  /** Requests since `killAt`; repeated ones in a row count once. */
  requests(): number
}

/** Every point of an undisturbed run that did so many requests and changes of files. */
export function killPoints(requests: number, writes: number): KillPoint[] {
  const sides = ['before', 'after'] as const
  const numbers = (most: number) => Array.from({ length: most }, (_, index) => index + 1)
  return [
    ...numbers(requests).flatMap((number) => sides.map((side) => ({ at: 'request', number, side }) as const)),
    ...numbers(writes).flatMap((number) => sides.map((side) => ({ at: 'write', number, side }) as const)),
  ]
}

/** Runs the command, or `program`, once, killed at `point` where there is one; `pay` is called with all that it shows on stderr. */
export async function runKilled(
  user: User,
  killSwitch: KillSwitch,
  args: readonly string[],
  { point, pay, program }: { point: KillPoint | undefined; pay: (shown: string) => void; program?: string | undefined },
) {
  let child: ChildProcess | undefined
  const kill = () => void child?.kill('SIGKILL')
  killSwitch.killAt(point?.at === 'request' ? point : undefined, kill)
  const counted = user.path('writes.txt')
  const env = {
    NODE_OPTIONS: `--import=${new URL('./kill-at-write.mjs', import.meta.url).href}`,
    COUNT_FILE: counted,
    ...(point?.at === 'write' && { KILL_AT_WRITE: String(point.number), KILL_SIDE: point.side }),
  }
  rmSync(counted, { force: true })
  const ran = await user.run(args, {
    env,
    program,
    onStart(started) {
      child = started
      let shown = ''
      started.stderr?.on('data', (data) => {
        shown += String(data)
        pay(shown)
      })
    },
  })
  return {
    ...ran,
    writes: existsSync(counted) ? Number(readFileSync(counted, 'utf8')) : 0,
    requests: killSwitch.requests(),
  }
}
