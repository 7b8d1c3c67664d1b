import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * How often a process has synced in so many milliseconds, by `strace` on all its threads; `undefined` where that is not
 * installed, or not allowed to look.
 */
export async function countSyncs(pid: number, ms: number): Promise<number | undefined> {
  const args = ['--follow-forks', '--trace=fsync,fdatasync,sync_file_range,syncfs', '--attach', String(pid)]
  const tracer = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let text = ''
  tracer.stderr.on('data', (part: Buffer) => (text += part.toString()))
  const ended = Promise.race([once(tracer, 'exit'), once(tracer, 'error')])
  await Promise.race([ended, sleep(ms)])
  const isRunning = tracer.exitCode === null && tracer.pid !== undefined
  tracer.kill('SIGINT')
  await ended
  // A call that another one interrupts in the log is told of twice.
  return isRunning ? text.split('\n').filter((line) => /sync\w*\(/.test(line)).length : undefined
}
